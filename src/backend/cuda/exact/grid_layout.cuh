// The exact transform of a grid as products of real matrices.
//
// Along x, the pixels at u and -u have the factors cos(2 pi k u) +- i sin(2 pi k u): one matrix column has the cosine,
// the next one the sine. For an odd number of pixels u = 0, 1, .. For an even number u = 1/2, 3/2, ..: the grid is
// moved by half a pixel, and the factor of the rows corrects for this. So there are as many real columns as pixels. The
// factor of a row (y, z) is the product of an outer and an inner factor: in 3D those of z and y; in 2D those of a block
// of eight rows and of a row within the block. The real and the imaginary part of a row are two rows of a matrix.
//
// Exact sums on a GPU: On a grid the transform is a product of real matrices (exact/grid_layout.cuh). In float each
// number is the sum of two half-precision numbers, which the tensor cores multiply. The tensor cores add only short
// sums; long sums are added outside them. At arbitrary positions the tensor cores for double compute the phases
// (exact/position_sums.cuh), reduced to one turn by rounding in double. Some of the sines come from polynomials, which
// run beside the special function units.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

struct GridLayout {
  int nx;
  int rows;          ///< ny nz
  int outer, inner;  ///< rows = outer times inner, or fewer: the last rows may be missing
  int outer_axis, inner_axis;
  int outer_step;                ///< of an outer row, in pixels
  int outer_begin, inner_begin;  ///< pixel of the first
  int outer_padded, inner_padded;
  int pairs_padded;

  __host__ __device__ int pairs() const { return (nx + 1) / 2; }
  /// 1/2 for even lines
  __host__ __device__ double shift() const { return nx % 2 == 0 ? 0.5 : 0.0; }
  /// Row of the image [y z], or -1 where there is none.
  __host__ __device__ int row(int o, int i) const {
    const int row = o * inner + i;
    return o < outer && i < inner && row < rows ? row : -1;
  }
  /// The pixels at u and -u.
  __host__ __device__ int right(int pair) const { return nx / 2 + pair; }
  __host__ __device__ int left(int pair) const { return nx / 2 - pair - (nx % 2 == 0 ? 1 : 0); }
};

}  // namespace whorl::backend::cuda
