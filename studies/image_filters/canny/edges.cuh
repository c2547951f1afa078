// Hysteresis of Canny on a GPU: a thread for each pixel.
#pragma once

#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/canny/slopes.cuh"

namespace whorl::studies::image_filters {

// step: one pass, branches
/// First version: weak marks look around, with tests of the edges, and stay where a strong one is beside them.
static __global__ void one_pass(Size size, const Byte* marks, Byte* edges) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Index at = Index{y} * size.width + x;
  Byte edge = marks[at] == strong ? strong : Byte{0};
  if (marks[at] == weak) {
    for (int j = y == 0 ? 0 : -1; j <= (y == size.height - 1 ? 0 : 1); ++j) {
      for (int i = x == 0 ? 0 : -1; i <= (x == size.width - 1 ? 0 : 1); ++i) {
        if (marks[at + Index{j} * size.width + i] == strong) edge = strong;
      }
    }
  }
  edges[at] = edge;
}
// end of step

// step: one pass, divisions of integers; one pass, divisions of floats
/// On a frame of zeros: the quotients of the eight neighbors by `strong` are added, without a branch. As integers they
/// are 1 for strong marks and 0 for weak ones; as floats not.
template <class Number>
__global__ void one_pass_by_division(Size size, const Byte* framed, Byte* edges) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const int width = size.width + 2;
  const Byte* const here = framed + Index{y + 1} * width + x + 1;
  const auto part = [&](int offset) { return static_cast<Number>(here[offset]) / static_cast<Number>(strong); };
  const Number sum = part(-width - 1) + part(-width) + part(-width + 1) + part(-1) + part(1) + part(width - 1) +
                     part(width) + part(width + 1);
  const bool stays = *here == strong || (*here == weak && sum != 0);
  edges[Index{y} * size.width + x] = stays ? strong : Byte{0};
}
// end of step

// step: connected components
// Connected marks as trees: every mark has a parent of a lower number, or none; marks are of one component where they
// lead to one root.

/// Reads what other threads write.
inline __device__ unsigned parent_of(const unsigned* parent, unsigned i) {
  return *static_cast<const volatile unsigned*>(parent + i);
}

inline __device__ unsigned root_of(const unsigned* parent, unsigned i) {
  while (parent_of(parent, i) != i) i = parent_of(parent, i);
  return i;
}

/// Hangs the higher of the two roots below the lower one; where another thread hung it elsewhere meanwhile, goes on
/// with that.
inline __device__ void unite(unsigned* parent, unsigned a, unsigned b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    if (a > b) {
      const unsigned higher = a;
      a = b;
      b = higher;
    }
    if (atomicCAS(parent + b, b, a) == b) return;
  }
}

static __global__ void plant(unsigned pixels, unsigned* parent) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) parent[i] = i;
}

/// Joins each mark to the marks among those of its eight neighbors that come before it.
static __global__ void connect(Size size, const Byte* marks, unsigned* parent) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const auto width = static_cast<unsigned>(size.width);
  const unsigned at = static_cast<unsigned>(y) * width + static_cast<unsigned>(x);
  if (marks[at] == 0) return;
  if (x > 0 && marks[at - 1] != 0) unite(parent, at, at - 1);
  if (y == 0) return;
  if (x > 0 && marks[at - width - 1] != 0) unite(parent, at, at - width - 1);
  if (marks[at - width] != 0) unite(parent, at, at - width);
  if (x + 1 < size.width && marks[at - width + 1] != 0) unite(parent, at, at - width + 1);
}

/// A component is one of edges where one of its marks is strong; `chosen` [pixel] is 0 before.
static __global__ void choose(unsigned pixels, const Byte* marks, const unsigned* parent, Byte* chosen) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels && marks[i] == strong) chosen[root_of(parent, i)] = 1;
}

static __global__ void keep_chosen(unsigned pixels, const Byte* marks, const unsigned* parent, const Byte* chosen,
                                   Byte* edges) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  edges[i] = marks[i] != 0 && chosen[root_of(parent, i)] != 0 ? strong : Byte{0};
}
// end of step

}  // namespace whorl::studies::image_filters
