#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "op/window/window_polynomial.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/tolerance_error.hpp"
#include "whorl/op/window.hpp"

namespace whorl {
namespace {

// The transform by the midpoint rule; its error for a smooth function falls as the square of the step, here 1e-3.
double midpoint_transform(const Window& window, double f) {
  constexpr int steps = 1000;
  double sum = 0;
  for (int i = 0; i < steps * window.width(); ++i) {
    const double t = -0.5 * window.width() + (i + 0.5) / steps;
    sum += window.value(t) * std::cos(2 * std::numbers::pi * f * t) / steps;
  }
  return sum;
}

TEST(Window, TransformIsThatOfTheValues) {
  for (const auto kind : {WindowKind::kaiser_bessel, WindowKind::gaussian}) {
    for (const double oversampling : {1.25, 2.0}) {
      const Window window(kind, 5, oversampling);
      for (const double f : {0.0, 0.1, 0.25, 0.4})
        EXPECT_NEAR(window.transform(f), midpoint_transform(window, f), 3e-6);
      EXPECT_EQ(window.value(2.51), 0);
      EXPECT_NEAR(window.value(0), 1, 1e-15);
      EXPECT_EQ(window.value(1.3), window.value(-1.3));
    }
  }
}

TEST(Window, KaiserBesselTransformPastItsMainLobe) {
  const Window window(WindowKind::kaiser_bessel, 2, 2);
  EXPECT_NEAR(window.transform(1.7), midpoint_transform(window, 1.7), 1e-5);
}

TEST(Window, BeattysShape) {
  // Beatty et al., eq. 5 for width 4 and oversampling 2: beta = pi sqrt(9 - 0.8) = 8.9962; value at the edge
  // 1/I0(beta).
  const double beta = std::numbers::pi * std::sqrt(9 - 0.8);
  EXPECT_NEAR(Window(WindowKind::kaiser_bessel, 4, 2).value(2), 1 / std::cyl_bessel_i(0.0, beta), 1e-12);
}

TEST(Window, ErrorFallsWithWidthAndOversampling) {
  for (const auto kind : {WindowKind::kaiser_bessel, WindowKind::gaussian}) {
    EXPECT_LT(Window(kind, 6, 2).error(64), 0.5 * Window(kind, 5, 2).error(64));
    EXPECT_LT(Window(kind, 5, 2).error(64), 0.5 * Window(kind, 5, 1.5).error(64));
  }
}

TEST(Window, PolynomialsFollowTheWindow) {
  for (const double tolerance : {1e-4, 1e-9, 1e-14}) {
    const Window window(WindowKind::kaiser_bessel, 7, 2);
    const auto fit = fit_window(window, tolerance);
    for (int l = 0; l < fit.width; ++l) {
      for (double z = 0; z <= 1; z += 0.0173) {
        double value = 0;
        for (int n = fit.degree; n >= 0; --n) {
          value = value * (2 * z - 1) + fit.coefficients[static_cast<std::size_t>(n * fit.width + l)];
        }
        // The fit is checked at other places than it is made; between them the error may be a little larger.
        EXPECT_NEAR(value, window.value(-3.5 + l + z), std::max(1.5 * tolerance, 4e-15));
      }
    }
  }
  EXPECT_LT(fit_window(Window(WindowKind::kaiser_bessel, 7, 2), 1e-4).degree,
            fit_window(Window(WindowKind::kaiser_bessel, 7, 2), 1e-9).degree);
}

TEST(Window, RefusesWhatItCanNotBe) {
  EXPECT_THROW(Window(WindowKind::gaussian, 1, 2), ValueError);
  EXPECT_THROW(Window(WindowKind::gaussian, 65, 2), ValueError);
  EXPECT_THROW(Window(WindowKind::gaussian, 4, 1.2), ValueError);
  EXPECT_THROW(Window(WindowKind::gaussian, 4, 2.5), ValueError);
  EXPECT_THROW(choose_window({.tolerance = 1e-9, .epsilon = 1e-7}, 2, {8, 8}), ToleranceError);
  EXPECT_THROW(choose_window({.tolerance = 0, .epsilon = 1e-7}, 2, {8, 8}), ValueError);
  EXPECT_THROW(choose_window({.tolerance = 1, .epsilon = 1e-7}, 2, {8, 8}), ValueError);
  try {
    choose_window({.tolerance = 0, .epsilon = 1e-7}, 2, {8, 8});
  } catch (const ToleranceError&) {
    FAIL() << "no larger tolerance is what 0 lacks";
  } catch (const ValueError&) {
    SUCCEED();
  }
}

}  // namespace
}  // namespace whorl
