// What Q has to be: in double precision, and by Parboil's tolerance.
#pragma once

#include <complex>
#include <vector>

#include "studies/mri_q/problem.hpp"

namespace whorl::studies::mri_q {

/// Q of some voxels, spread evenly, by sums in double precision whose phases are taken off whole turns before their
/// sine and cosine.
struct Truth {
  std::vector<Index> voxels;
  std::vector<std::complex<double>> q;
};
Truth truth_of(const Context& ctx, const Problem& problem, Index most_voxels);

/// ||q - truth|| / ||truth|| over those voxels; q [2, voxel] on the host.
double relative_error(const Truth& truth, ArrayRef<const float> q);

/// How Parboil's compare-output judges mri-q: a number is right when it differs from the reference by 1e-4 of the
/// largest number of the reference at most, or by less than 0.002 of its own reference.
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
