// The reference for Q: sums in double precision, and Parboil's tolerance.
#pragma once

#include <complex>
#include <vector>

#include "studies/mri_q/problem.hpp"

namespace whorl::studies::mri_q {

/// Q of several voxels, evenly spread, by sums in double precision. Whole turns are removed from the phases before sine
/// and cosine.
struct Truth {
  std::vector<Index> voxels;
  std::vector<std::complex<double>> q;
};
Truth truth_of(const Context& ctx, const Problem& problem, Index most_voxels);

/// ||q - truth|| / ||truth|| over those voxels; q [2, voxel] on the host.
double relative_error(const Truth& truth, ArrayRef<const float> q);

/// The rule of Parboil's compare-output for mri-q: a value is right if it differs from the reference by at most 1e-4 of
/// the largest value of the reference, or by less than 0.002 of its own reference.
struct Acceptance {
  Index numbers = 0;  ///< real and imaginary parts of all voxels
  Index outside = 0;  ///< of these that are not right
  double largest_difference = 0;
  double largest_reference = 0;
  bool accepted() const { return outside == 0; }
};

/// q and reference [2, voxel] on the host. Throws ShapeError (of different length).
Acceptance judge(ArrayRef<const float> q, ArrayRef<const float> reference);

}  // namespace whorl::studies::mri_q
