// The medians of 5 x 5 numbers around each of two rows, from columns and rows in registers, on an NVIDIA GPU.
//
// A. Adams, Fast median filters using separable sorting networks, ACM Transactions on Graphics 40(4), 2021: what the
// windows of several results have in common is sorted once, and what cannot be a median any more is left out.
#pragma once

#include "filter/src/cuda/ordered/comparators.cuh"
#include "filter/src/cuda/ordered/packed_keys.cuh"

namespace whorl::backend::cuda {

template <class Keys, int a, int b, int first, int last>
__device__ __forceinline__ void merge(const Keys* one, const Keys* other, Keys* to) {
  Keys wires[a + b];
#pragma unroll
  for (int i = 0; i < a; ++i) wires[i] = one[i];
#pragma unroll
  for (int i = 0; i < b; ++i) wires[a + i] = other[i];
  run<Merging<a, b, first, last>>(wires, to);
}

/// The median of 4 sorted numbers and one more.
template <class Keys>
__device__ __forceinline__ void insert_fifth(const Keys* four, Keys added, Keys* five) {
  five[0] = smaller(four[0], added);
#pragma unroll
  for (int i = 1; i < 4; ++i) five[i] = larger(four[i - 1], smaller(four[i], added));
  five[4] = larger(four[3], added);
}

/// The median of 11 numbers in sorted lists of 6 and 5. The number of rank 5 is the minimum, over all ways to take six
/// numbers from the starts of both lists, of the largest number taken.
template <class Keys>
__device__ __forceinline__ Keys middle_of_sorted(const Keys* six, const Keys* five) {
  Keys least = six[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) least = smaller(least, larger(six[4 - i], five[i]));
  return least;
}

/// Calls load(row, column) for 6 rows and `count` + 4 columns, and store(row, column, median) for 2 rows and `count`
/// columns.
template <class Keys, int count, class Load, class Store>
__device__ __forceinline__ void medians_of_25(const Load& load, const Store& store) {
  // For each column, the four numbers that the windows of both rows share.
  Keys sorted[count + 4][4];
  const auto sort_column = [&](int column) {
    Keys wires[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) wires[i] = load(i + 1, column);
    run<Sorting<4>>(wires, sorted[column]);
  };
#pragma unroll
  for (int column = 0; column < 4; ++column) sort_column(column);
  Keys pair[8];
  merge<Keys, 4, 4, 0, 8>(sorted[1], sorted[2], pair);
#pragma unroll
  for (int begin = 0; begin < count; begin += 2) {
    Keys next[8];
    sort_column(begin + 4);
    merge<Keys, 4, 4, 0, 8>(sorted[begin + 3], sorted[begin + 4], next);
    // Numbers that can be a median: of the 16 that four windows share, after 9 more are added; then of 20, with 5
    // more.
    Keys common[10];
    merge<Keys, 8, 8, 3, 13>(pair, next, common);
#pragma unroll
    for (int i = 0; i < 8; ++i) pair[i] = next[i];
    sort_column(begin + 5);
    Keys six[2][6];
    merge<Keys, 10, 4, 4, 10>(common, sorted[begin], six[0]);
    merge<Keys, 10, 4, 4, 10>(common, sorted[begin + 5], six[1]);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      Keys pairs[2][2];
      Keys four[4];
      Keys five[5];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const Keys a = load(5 * row, begin + 1 + 2 * i);
        const Keys b = load(5 * row, begin + 2 + 2 * i);
        pairs[i][0] = smaller(a, b);
        pairs[i][1] = larger(a, b);
      }
      merge<Keys, 2, 2, 0, 4>(pairs[0], pairs[1], four);
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        insert_fifth(four, load(5 * row, begin + 5 * side), five);
        store(row, begin + side, middle_of_sorted(six[side], five));
      }
    }
  }
}

}  // namespace whorl::backend::cuda
