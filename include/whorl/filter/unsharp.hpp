// Unsharp: an image with its fine detail raised.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

struct UnsharpOptions : BorderOptions {};

/// Correlation with {-1 -4 -1; -4 26 -4; -1 -4 -1} / 6, whose sum is 1. Exactly rounded for integers; channels and
/// slices as make_custom.
std::unique_ptr<Filter> make_unsharp(const UnsharpOptions& options);

}  // namespace whorl
