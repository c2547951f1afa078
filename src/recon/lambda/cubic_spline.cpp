#include "recon/lambda/cubic_spline.hpp"

#include <algorithm>
#include <utility>

namespace whorl::recon {

CubicSpline::CubicSpline(std::vector<double> t, std::vector<double> y)
    : t_(std::move(t)), y_(std::move(y)), bend_(t_.size(), 0.0) {
  // Continuous slopes: h0 M0 + 2 (h0 + h1) M1 + h1 M2 = 6 (y2 - y1) / h1 - 6 (y1 - y0) / h0 at every inner point, with
  // M = 0 at the ends; tridiagonal and diagonally dominant, so that elimination needs no pivots.
  const std::size_t n = t_.size();
  std::vector<double> upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = t_[i] - t_[i - 1];
    const double after = t_[i + 1] - t_[i];
    const double right = 6 * ((y_[i + 1] - y_[i]) / after - (y_[i] - y_[i - 1]) / before);
    const double pivot = 2 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    bend_[i] = (right - before * bend_[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) bend_[i] -= upper[i] * bend_[i + 1];
}

std::size_t CubicSpline::interval(double t) const {
  const auto above = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
  return static_cast<std::size_t>(above - t_.begin()) - 1;
}

double CubicSpline::value(double t) const {
  const std::size_t i = interval(t);
  const double h = t_[i + 1] - t_[i];
  const double a = (t_[i + 1] - t) / h;
  const double b = 1 - a;
  return a * y_[i] + b * y_[i + 1] + ((a * a * a - a) * bend_[i] + (b * b * b - b) * bend_[i + 1]) * h * h / 6;
}

double CubicSpline::slope(double t) const {
  const std::size_t i = interval(t);
  const double h = t_[i + 1] - t_[i];
  const double a = (t_[i + 1] - t) / h;
  const double b = 1 - a;
  return (y_[i + 1] - y_[i]) / h + ((3 * b * b - 1) * bend_[i + 1] - (3 * a * a - 1) * bend_[i]) * h / 6;
}

}  // namespace whorl::recon
