#include "whorl/op/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using std::numbers::pi;

// Nodes and weights of Gauss-Legendre quadrature of order 16 on [-1, 1], by Newton's method on the Legendre polynomial.
struct GaussLegendre {
  static constexpr int order = 16;
  std::array<double, order> node{};
  std::array<double, order> weight{};

  GaussLegendre() {
    for (int i = 0; i < order; ++i) {
      double x = std::cos(pi * (i + 0.75) / (order + 0.5));
      double slope = 1;
      for (int step = 0; step < 100; ++step) {
        double previous = 1;
        double value = x;
        for (int n = 2; n <= order; ++n) {
          const double next = ((2 * n - 1) * x * value - (n - 1) * previous) / n;
          previous = value;
          value = next;
        }
        slope = order * (x * value - previous) / (x * x - 1);
        const double change = value / slope;
        x -= change;
        if (std::abs(change) < 1e-16) break;
      }
      node[static_cast<std::size_t>(i)] = x;
      weight[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

// sinh(x)/x, continued to x^2 < 0 as sin.
double sinhc_of_square(double square) {
  const double x = std::sqrt(std::abs(square));
  if (x < 1e-4) return 1 + square / 6;
  return square > 0 ? std::sinh(x) / x : std::sin(x) / x;
}

// The modified Bessel function I0 by its series, sum ((x/2)^k / k!)^2. All terms are positive, so rounding is that of the sum; the
// largest is that of k = x/2, and here x is at most 151. std::cyl_bessel_i takes six times as long: it computes K0 too.
double bessel_i0(double x) {
  const double quarter = 0.25 * x * x;
  double term = 1;
  double sum = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= quarter / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

}  // namespace

Window::Window(WindowKind kind, int width, double oversampling)
    : kind_(kind), width_(width), oversampling_(oversampling) {
  if (width < 2 || width > max_width) {
    throw ValueError(fmt::format("window: width is {}, expected 2 to {} grid cells", width, max_width));
  }
  if (!(oversampling >= 1.25 && oversampling <= 2)) {
    throw ValueError(fmt::format("window: oversampling is {}, expected 1.25 to 2", oversampling));
  }
  const double w = width;
  if (kind == WindowKind::kaiser_bessel) {
    const double ratio = w / oversampling * (oversampling - 0.5);
    shape_ = pi * std::sqrt(std::max(ratio * ratio - 0.8, 0.0));
    peak_ = bessel_i0(shape_);
  } else {
    shape_ = w * oversampling / ((2 * oversampling - 1) * pi);
    peak_ = 1;
  }
}

double Window::value(double t) const {
  const double x = 2 * t / width_;
  if (std::abs(x) > 1) return 0;
  if (kind_ == WindowKind::gaussian) return std::exp(-t * t / shape_);
  return bessel_i0(shape_ * std::sqrt(1 - x * x)) / peak_;
}

double Window::transform(double f) const {
  if (kind_ == WindowKind::kaiser_bessel) {
    const double phase = pi * width_ * f;
    return width_ * sinhc_of_square(shape_ * shape_ - phase * phase) / peak_;
  }
  // The cut Gaussian has no closed transform in real functions: cell by cell, where it is smooth, order 16 is exact to
  // rounding for |f| <= 1/2.
  static const GaussLegendre rule;
  double sum = 0;
  for (int cell = 0; cell < width_; ++cell) {
    for (std::size_t i = 0; i < GaussLegendre::order; ++i) {
      const double t = -0.5 * width_ + cell + 0.5 * (rule.node[i] + 1);
      sum += 0.5 * rule.weight[i] * std::exp(-t * t / shape_) * std::cos(2 * pi * f * t);
    }
  }
  return sum;
}

}  // namespace whorl
