// The recursion of a Gaussian over interleaved lines.
#pragma once

#include <span>

#include "filter/src/kernels/windows/recursive_gaussian.hpp"

namespace whorl::backend::cpu {

inline constexpr Index lines_at_once = 16;

/// Number i of line l is at numbers[i * lines_at_once + l], with `count` numbers per line. `before` and `after` give
/// the places of the numbers outside, the farthest first. Writes the rounded sums to `sums`.
void recurse_lines(const kernels::RecursiveWindow& window, const kernels::PassRounding& rounding, const float* numbers,
                   Index count, std::span<const float* const> before, std::span<const float* const> after, float* sums);

}  // namespace whorl::backend::cpu
