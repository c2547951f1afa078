// How the exact transform of a grid becomes products of real matrices.
//
// Along x, the pixels at u and -u have the factors cos(2 pi k u) +- i sin(2 pi k u): one matrix column has the cosine,
// the next one the sine. For an even number of pixels u = 1/2, 3/2, ..: the grid lies half a pixel off, which the
// factor of the rows takes up; for an odd number u = 0, 1, .. So there are as many real columns as pixels. The factor
// of a row (y, z) is an outer one times an inner one of eight rows: y inside z, or in 2D the rows of a line of blocks.
// The real and the imaginary part of a row are two rows of a matrix.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

struct GridLayout {
  int nx;
  int rows;          ///< ny nz
  int outer, inner;  ///< rows = outer times inner, or the end of it
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
