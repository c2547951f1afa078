// What `whorl check` and test/parity hold to its tolerance: the small cases of bench/cases.hpp, and single kernels of a
// device against the CPU's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "whorl/core/context.hpp"

namespace whorl::bench {

/// The small cases in whose names a regular expression is found; maybe none.
std::vector<Case> parity_cases(const std::string& expression);

/// The error that a case may have: the promise of one transform, and twice that for two in a row, where the adjoint
/// takes the error of the first, which has no structure, for data as any.
double allowed_error(const Case& what);

struct Parity {
  double error = 0;    ///< relative l2 difference to the CPU
  double allowed = 0;  ///< from the rounding of the sums that the kernel takes
  double median_ms = 0;
};

struct KernelCheck {
  std::string name;  ///< "kernel/dot/float"
  std::function<Parity(const Context&)> run;
};

/// Each filter of the small cases (filter_cases.hpp): the largest difference between the device's pixels and the CPU's,
/// relative to the largest value of the CPU's where they are float32.
std::vector<KernelCheck> filter_checks();

/// The fit of T2* in all voxels, from host to host: the map of the device against that of the CPU.
std::vector<KernelCheck> fit_checks();

/// Small images from data of a phantom, by gridding and by least squares: the device's against those by the exact sums on the
/// CPU.
std::vector<KernelCheck> recon_checks();

/// The checks, those of filters, fits and reconstructions among them, in whose names a regular expression is found; maybe none.
std::vector<KernelCheck> kernel_checks(const std::string& expression);

}  // namespace whorl::bench
