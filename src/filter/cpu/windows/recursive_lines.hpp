// The recursion of a Gaussian over lines that lie side by side.
#pragma once

#include <span>

#include "filter/kernels/windows/recursive_gaussian.hpp"

namespace whorl::backend::cpu {

inline constexpr Index lines_at_once = 16;

/// Number i of line l is at numbers[i * lines_at_once + l], `count` of them. `before` and `after` are where the numbers
/// outside are found, the farthest first. Leaves the rounded sums in `sums`.
void recurse_lines(const kernels::RecursiveWindow& window, const kernels::PassRounding& rounding, const float* numbers,
                   Index count, std::span<const float* const> before, std::span<const float* const> after, float* sums);

}  // namespace whorl::backend::cpu
