#include "op/window/window_polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace whorl {

namespace {

// Monomial coefficients of the polynomial that interpolates f at the Chebyshev points of [-1, 1].
template <class F>
std::vector<double> interpolate_at_chebyshev_points(const F& f, int degree) {
  const int count = degree + 1;
  std::vector<double> chebyshev(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const double angle = std::numbers::pi * (i + 0.5) / count;
      sum += f(std::cos(angle)) * std::cos(n * angle);
    }
    chebyshev[static_cast<std::size_t>(n)] = (n == 0 ? 1.0 : 2.0) / count * sum;
  }
  // T_0 = 1, T_1 = u, T_n = 2 u T_(n-1) - T_(n-2)
  std::vector<double> result(chebyshev.size());
  std::vector<double> previous(chebyshev.size());
  std::vector<double> current(chebyshev.size());
  current[0] = 1;
  for (std::size_t n = 0; n < chebyshev.size(); ++n) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += chebyshev[n] * current[i];
    std::vector<double> next(chebyshev.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      next[i] = (n == 0 ? 1 : 2) * (i > 0 ? current[i - 1] : 0) - previous[i];
    }
    previous = std::exchange(current, next);
    if (n == 0) previous = {1};
    previous.resize(chebyshev.size());
  }
  return result;
}

double horner(const std::vector<double>& coefficients, double u) {
  return std::accumulate(coefficients.rbegin(), coefficients.rend(), 0.0,
                         [u](double value, double coefficient) { return value * u + coefficient; });
}

}  // namespace

static_assert(Window::max_width <= kernels::max_window_width);

kernels::WindowPolynomial fit_window(const Window& window, double tolerance) {
  constexpr int max_degree = 22;
  constexpr int checks = 33;
  const int width = window.width();
  for (int degree = 2;; ++degree) {
    kernels::WindowPolynomial fit{.width = width, .degree = degree, .coefficients = {}};
    const auto stride = static_cast<std::size_t>(width);
    fit.coefficients.resize(static_cast<std::size_t>(degree + 1) * stride);
    double error = 0;
    for (int l = 0; l < width; ++l) {
      const auto cell = [&window, width, l](double u) { return window.value(-0.5 * width + l + 0.5 * (u + 1)); };
      const auto coefficients = interpolate_at_chebyshev_points(cell, degree);
      for (int i = 0; i < checks; ++i) {
        const double u = 2.0 * i / (checks - 1) - 1;
        error = std::max(error, std::abs(horner(coefficients, u) - cell(u)));
      }
      for (std::size_t n = 0; n < coefficients.size(); ++n) {
        fit.coefficients[n * stride + static_cast<std::size_t>(l)] = coefficients[n];
      }
    }
    if (error <= tolerance || degree == max_degree) return fit;
  }
}

}  // namespace whorl
