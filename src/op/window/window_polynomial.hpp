// Piecewise polynomials for a window.
#pragma once

#include "kernels/gridding.hpp"
#include "whorl/op/window.hpp"

namespace whorl {

/// The polynomials of lowest degree whose error is at most `tolerance` of the window's peak, or the best in double
/// precision for a smaller tolerance.
kernels::WindowPolynomial fit_window(const Window& window, double tolerance);

}  // namespace whorl
