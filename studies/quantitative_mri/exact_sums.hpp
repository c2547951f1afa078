// The exact sums of Q and F^H d, in the steps of the chapter's ladder.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "studies/quantitative_mri/trial.hpp"

namespace whorl::studies::quantitative_mri {

/// sum_j d_j exp(2 pi i k_j . r) at voxels r of a grid: F^H d with the data for d, Q with 1 for d and twice the grid
/// along each axis, without the factors in front of either. Q is summed at every lag, though Q(-r) = conj Q(r), as the
/// chapter does.
template <class Real>
struct Sums {
  ArrayRef<const Real> points;              ///< [3, sample]: k_x, k_y, k_z in cycles per voxel
  ArrayRef<const std::complex<Real>> data;  ///< [sample]
  Index extent = 0;                         ///< of the grid along each axis; r = 0 is floor(extent/2)
  Index first = 0;                          ///< the voxel, in C order, at which a part of the grid begins
};

/// A way to compute them: fills [voxel] with the sums of the voxels from `first` on.
template <class Real>
struct SumStep {
  std::string name;
  std::function<void(const Context&, const Sums<Real>&, ArrayRef<std::complex<Real>>)> run;
  Published published{};
  std::function<void(const Context&, const Sums<Real>&)>
      choose{};                           ///< before its time is taken; none: it has no choice
  std::function<std::string()> remark{};  ///< of what it chose
  bool baseline = false;                  ///< of the speedups
  double most_terms = 2e8;                ///< that are summed at most without --full: some seconds of a host
};

/// A plain loop over voxels and one over samples, with the sine and cosine of the standard library.
template <class Real>
void sums_on_host(const Context& ctx, const Sums<Real>& sums, ArrayRef<std::complex<Real>> part);

/// The chapter's rows for a CPU: vectors, the loop unrolled by four, samples tiled for the first-level cache, fast sine
/// and cosine; all threads.
template <class Real>
void vectors_on_host(const Context& ctx, const Sums<Real>& sums, ArrayRef<std::complex<Real>> part);

/// The kernels for a GPU, from the first one to the fastest; none where whorl is built without.
std::vector<SumStep<float>> gpu_steps();

}  // namespace whorl::studies::quantitative_mri
