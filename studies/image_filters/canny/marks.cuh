// Thinning of Canny on a GPU: a thread for each pixel.
#pragma once

#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/canny/slopes.cuh"

namespace whorl::studies::image_filters {

// step: double, branches; float
template <class Real>
__device__ Real length_at(Size size, const Real* length, int y, int x) {
  if (x < 0 || y < 0 || x >= size.width || y >= size.height) return Real(0);
  return length[Index{y} * size.width + x];
}

/// First version: four paths, which the threads of a warp take one after the other, and tests of the edges.
template <class Real>
__global__ void thin_by_branches(Size size, const Real* length, const Real* angle, Byte* marks) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  constexpr Real eighth(0.39269908169872414);
  const Real a = angle[Index{y} * size.width + x];
  int i = 1;
  int j = 0;
  if ((a >= -eighth && a <= eighth) || a >= 7 * eighth || a <= -7 * eighth) {
    j = 0;
  } else if ((a > eighth && a <= 3 * eighth) || (a > -7 * eighth && a <= -5 * eighth)) {
    j = 1;
  } else if ((a >= 5 * eighth && a < 7 * eighth) || (a >= -3 * eighth && a < -eighth)) {
    i = -1;
    j = 1;
  } else {
    i = 0;
    j = 1;
  }
  const Real here = length[Index{y} * size.width + x];
  Byte mark = 0;
  if (!(here <= length_at(size, length, y + j, x + i) || here <= length_at(size, length, y - j, x - i))) {
    mark = mark_of(here);
  }
  marks[Index{y} * size.width + x] = mark;
}
// end of step

// step: padding, the table as printed; padding, a table of the right index; directions found with the slopes
/// Neighbors of the four directions, in a table that all threads read.
static __constant__ int neighbor_x[4] = {1, 1, 0, -1};
static __constant__ int neighbor_y[4] = {0, 1, 1, 1};

/// Mark by lengths with a frame of zeros, `at` the pixel's place there.
inline __device__ Byte mark_along(int direction, const float* framed, Index at, int width) {
  const Index step = Index{neighbor_y[direction]} * width + neighbor_x[direction];
  const float here = framed[at];
  return here > framed[at + step] && here > framed[at - step] ? mark_of(here) : Byte{0};
}
// end of step

// step: padding, the table as printed
/// As the report prints it: the quotient is cut to a whole number before it is multiplied by 8, which leaves row 0 for
/// every angle but pi, and row 8 has the same neighbors.
static __global__ void thin_by_printed_table(Size size, const float* framed, const float* angle, Byte* marks) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  constexpr float pi = 3.14159265F;
  const Index i = Index{y} * size.width + x;
  const int row = static_cast<int>(fabsf(angle[i]) / pi) * 8;
  marks[i] = mark_along(row % 8, framed, Index{y + 1} * (size.width + 2) + x + 1, size.width + 2);
}
// end of step

// step: padding, a table of the right index
/// The table with an index that tells the four directions apart.
static __global__ void thin_by_table(Size size, const float* framed, const float* angle, Byte* marks) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Index i = Index{y} * size.width + x;
  marks[i] = mark_along(direction_of_angle(angle[i]), framed, Index{y + 1} * (size.width + 2) + x + 1, size.width + 2);
}
// end of step

// step: directions found with the slopes
static __global__ void thin_by_directions(Size size, const float* framed, const Byte* direction, Byte* marks) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Index i = Index{y} * size.width + x;
  marks[i] = mark_along(direction[i], framed, Index{y + 1} * (size.width + 2) + x + 1, size.width + 2);
}
// end of step

}  // namespace whorl::studies::image_filters
