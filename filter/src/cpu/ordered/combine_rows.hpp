// The smaller or larger numbers of two rows.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// The padding at the end of rows, for the last vector.
inline constexpr Index row_slack_bytes = 64;

/// Hidden explicitly, as all functions here that are specialized elsewhere, because g++ does not hide specializations.
/// a = min(a, b) or max(a, b). b may begin within a, but not before it; slack is overwritten.
template <class Key>
[[gnu::visibility("hidden")]] void keep_smaller(Key* a, const Key* b, Index count);
template <class Key>
[[gnu::visibility("hidden")]] void keep_larger(Key* a, const Key* b, Index count);

}  // namespace whorl::backend::cpu
