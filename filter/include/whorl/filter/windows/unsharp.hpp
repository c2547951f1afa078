// Unsharp: raises the fine detail of an image.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct UnsharpOptions : BorderOptions {
  double amount = 1;            ///< 0 to 10
  std::optional<double> sigma;  ///< pixels, 0.1 to 100; none: detail of single pixels
};

/// result = input + amount detail.
///
/// Without sigma, detail is the correlation with {-1 -4 -1; -4 20 -4; -1 -4 -1} / 6. With an amount of 1 the result is
/// the correlation with {-1 -4 -1; -4 26 -4; -1 -4 -1} / 6. Rounding, channels and slices as make_custom.
/// With sigma, detail is the input minus its make_gaussian(sigma) (the unsharp mask). Integers are rounded once after
/// the Gaussian and once at the end: they are within (amount + 1) / 2 levels of the exact result, plus amount times the
/// Gaussian's own error.
/// Throws    ValueError for a parameter out of its range.
std::unique_ptr<Filter> make_unsharp(const UnsharpOptions& options);

}  // namespace whorl
