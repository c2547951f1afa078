// Sobel and Scharr: slopes along one axis, smoothed along the other.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"
#include "whorl/filter/negatives.hpp"

namespace WHORL_PUBLIC whorl {

struct SlopeOptions : BorderOptions {
  Negatives negatives = Negatives::clip;
};

/// Correlation with {-1 0 1; -2 0 2; -1 0 1}: positive where the image grows with x. Exact for integers; alpha stays,
/// other channels and slices as make_custom.
std::unique_ptr<Filter> make_sobel_x(const SlopeOptions& options);

/// Correlation with {1 2 1; 0 0 0; -1 -2 -1}: positive where the image falls with y, the opposite of OpenCV's sign.
std::unique_ptr<Filter> make_sobel_y(const SlopeOptions& options);

enum class SlopeAxis { x, y };

struct ScharrOptions : SlopeOptions {
  SlopeAxis axis = SlopeAxis::x;
};

/// Correlation with {-3 0 3; -10 0 10; -3 0 3} (x), or its transpose (y): both positive where the image grows along the
/// axis, as OpenCV's.
/// Source  H. Scharr, Optimale Operatoren in der digitalen Bildverarbeitung, Heidelberg 2000
std::unique_ptr<Filter> make_scharr(const ScharrOptions& options);

}  // namespace whorl
