// The work whose time and energy is measured.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::studies::energy {

struct Options {
  Index size = 256;         ///< pixels of the plane along an axis
  Index coils = 8;          ///< of the plane
  Index volume = 0;         ///< voxels along an axis; 0: 128 on a GPU, 32 on a CPU
  Index samples = 1000000;  ///< of the larger case of gridding
  double seconds = 2;       ///< that each row is measured for, at least
};

/// Work on a part of a device, prepared.
struct Prepared {
  std::function<void()> run;
  std::function<double()> error;  ///< relative, of the last result
};

struct Job {
  std::string name;
  double samples = 1;  ///< that energy is given for each of; 1: for the whole
  /// Prepares the work, and runs it once. The context must outlive it.
  std::function<Prepared(const Context&)> prepare;
};

/// The grid and window of the paper, with its 5000 samples and more: the first kernel of the ladder of gridding_2d, the last one, and
/// the library's. Errors against double precision.
std::vector<Job> gridding_jobs(const Context& ctx, const Options& options);

/// A reconstruction of the library, from samples to image.
struct Case {
  std::string name;
  std::shared_ptr<const Scan> scan;
  ReconOptions options;
  bool keeps_plan = false;  ///< the transform is planned once, as for a protocol that is known
};

/// A plane by a spiral with several coils, and the volume of quantitative_mri with its prior; each with a plan of its own and
/// with a kept one.
std::vector<Case> cases(const Context& ctx, const Options& options);

/// The images of a case, by the plan if there is one.
Array<std::complex<float>> image_of(const Context& ctx, const Case& one, const std::shared_ptr<KeptPlans>& plans);

/// Errors against the image of the whole device.
std::vector<Job> reconstruction_jobs(const Context& ctx, const Options& options);

}  // namespace whorl::studies::energy
