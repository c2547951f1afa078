// The pixels of images and their neighbors along each axis, on a GPU.
#pragma once

#include <algorithm>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "kernels/penalties/differences.hpp"

namespace whorl::backend::cuda {

/// kernels::Differences as kernels take it; axes and positions in the order frame, z, y, x.
template <class Real>
struct Stencil {
  int extent[4];
  Index step[4];
  Real scale[4];
  int number[4];  // of an axis among those that have differences
  const Real* __restrict__ weights;
  bool add;
  bool cyclic[4];

  __device__ bool has(int axis) const { return scale[axis] != 0; }
  /// Whether the pixel at a position has a neighbor behind or before it along an axis, and where that is.
  __device__ bool has_next(int axis, const int (&position)[4]) const {
    return position[axis] + 1 < extent[axis] || cyclic[axis];
  }
  __device__ bool has_before(int axis, const int (&position)[4]) const { return position[axis] > 0 || cyclic[axis]; }
  __device__ Index next(int axis, const int (&position)[4], Index r) const {
    return position[axis] + 1 < extent[axis] ? r + step[axis] : r - (extent[axis] - 1) * step[axis];
  }
  __device__ Index before(int axis, const int (&position)[4], Index r) const {
    return position[axis] > 0 ? r - step[axis] : r + (extent[axis] - 1) * step[axis];
  }
  __device__ Index pixels() const { return extent[0] * step[0]; }
  /// Factor of the difference along an axis that starts at pixel r.
  __device__ Real factor(int axis, Index r) const {
    return weights == nullptr ? scale[axis] : scale[axis] * weights[number[axis] * pixels() + r];
  }
};

template <class Real>
Stencil<Real> stencil_of(const kernels::Differences<Real>& what) {
  const auto [frames, nz, ny, nx] = what.extent;
  Stencil<Real> stencil{{static_cast<int>(frames), static_cast<int>(nz), static_cast<int>(ny), static_cast<int>(nx)},
                        {nz * ny * nx, ny * nx, nx, 1},
                        {},
                        {},
                        what.weights,
                        what.add,
                        {}};
  int count = 0;
  for (int axis = 0; axis < 4; ++axis) {
    stencil.scale[axis] = what.scale[axis];
    stencil.number[axis] = count;
    stencil.cyclic[axis] = what.cyclic[axis];
    if (what.scale[axis] != 0) ++count;
  }
  return stencil;
}

template <class Real>
LaunchShape shape_of(const Stencil<Real>& what) {
  constexpr int columns = 32;  // pixels of a block
  constexpr int rows = 8;
  constexpr Index most = 65535;  // blocks along y and z of a grid
  return {grid_of(divide_up(what.extent[3], columns), std::min<Index>(divide_up(what.extent[2], rows), most),
                  std::min(Index{what.extent[0]} * what.extent[1], most)),
          dim3(columns, rows)};
}

/// Calls work(position, r) for the pixels of a thread.
template <class Real, class Work>
__device__ void for_pixels(const Stencil<Real>& what, const Work& work) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= what.extent[3]) return;
  const Index slices = Index{what.extent[0]} * what.extent[1];
  for (Index slice = blockIdx.z; slice < slices; slice += gridDim.z) {
    const int frame = static_cast<int>(slice / what.extent[1]);
    const int z = static_cast<int>(slice - Index{frame} * what.extent[1]);
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < what.extent[2]; y += gridDim.y * blockDim.y) {
      const int position[4] = {frame, z, y, x};
      work(position, slice * what.step[1] + y * what.step[2] + x);
    }
  }
}

}  // namespace whorl::backend::cuda
