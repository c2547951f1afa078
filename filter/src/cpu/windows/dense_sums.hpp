// Sums of products of floats with kernels of five rows and more, for four rows of results at a time.
#pragma once

#include <vector>

#include "filter/src/cpu/windows/tap_sums.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cpu {

inline constexpr Index dense_rows = 4;
inline constexpr Index least_dense_height = 5;

/// A kernel over rows that are `pitch` apart; numbers of a pixel are `channels` apart.
struct DenseKernel {
  const std::vector<float>& weights;  ///< [height * width]
  Index width, height, pitch, channels;
};

/// to[r][i] = the finished sum of the weights times the numbers from row r, number i on, row by row. Returns false, and
/// does nothing, if `count` is less than the number of sums at a time.
bool dense_sums(const float* numbers, const DenseKernel& kernel, const TapFinish& finish, Index count,
                float* const (&to)[dense_rows]);

}  // namespace whorl::backend::cpu
