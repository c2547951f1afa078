// The largest eigenvalue and its eigenvector of many small Hermitian matrices at once: the last step of all coil map
// methods on a GPU.
#pragma once

#include <complex>

#include "kernels/coil_maps.hpp"

namespace whorl::backend::cuda {

/// The matrices of consecutive voxels of the image.
template <class Real>
struct VoxelMatrices {
  Index first = 0;  ///< voxel
  Index count = 0;
  const std::complex<Real>* triangles = nullptr;  ///< lower triangles [pair, count], none of negative eigenvalue
};

/// Writes eigenvectors of norm 1 to maps; their inner product with a reference has phase 0.
template <class Real>
class DominantVectors {
 public:
  /// The maps are 0 where the largest eigenvalue is below the threshold. `eigenvalues` [z, y, x] may be null.
  DominantVectors(const Context& ctx, const kernels::MapTarget<Real>& target, Real threshold, Real* eigenvalues);

  void solve(const Context& ctx, const VoxelMatrices<Real>& matrices);

  /// The number of voxels so far whose eigenvalue is not below the threshold.
  Index inside(const Context& ctx) const;

 private:
  template <int lanes>
  void solve_with(const Context& ctx, const VoxelMatrices<Real>& matrices);

  Index coils_;
  Index voxels_;
  std::complex<Real>* maps_;
  Real* eigenvalues_;
  Real threshold_;
  Array<std::complex<Real>> reference_;
  Array<Index> inside_;
};

}  // namespace whorl::backend::cuda
