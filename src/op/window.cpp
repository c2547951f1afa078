#include "whorl/op/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double pi = std::numbers::pi;

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
    peak_ = std::cyl_bessel_i(0.0, shape_);
  } else {
    shape_ = w * oversampling / ((2 * oversampling - 1) * pi);
    peak_ = 1;
  }
}

double Window::value(double t) const {
  const double x = 2 * t / width_;
  if (std::abs(x) > 1) return 0;
  if (kind_ == WindowKind::gaussian) return std::exp(-t * t / shape_);
  return std::cyl_bessel_i(0.0, shape_ * std::sqrt(1 - x * x)) / peak_;
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

double Window::error(Index extent) const {
  constexpr int places = 12;
  const int pixels = static_cast<int>(std::clamp<Index>(extent / 2, 1, 64));
  const auto place_of = [&](int place, int l) { return -0.5 * width_ + l + (place + 0.5) / places; };
  std::vector<double> values;  // [place][l]
  for (int place = 0; place < places; ++place) {
    for (int l = 0; l < width_; ++l) values.push_back(value(place_of(place, l)));
  }
  double sum_of_squares = 0;
  for (int pixel = 0; pixel <= pixels; ++pixel) {
    const double f = 0.5 / oversampling_ * pixel / pixels;
    const double weight = pixel == 0 || pixel == pixels ? 0.5 : 1;  // trapezoidal rule
    const double exact = transform(f);
    // From one grid point to the next the phase turns by the same: one multiplication, and a rounding error of no more
    // than the width times that of a number.
    const double turn_re = std::cos(2 * pi * f);
    const double turn_im = -std::sin(2 * pi * f);
    for (int place = 0; place < places; ++place) {
      double re = std::cos(2 * pi * f * place_of(place, 0));
      double im = -std::sin(2 * pi * f * place_of(place, 0));
      double sum_re = 0;
      double sum_im = 0;
      for (int l = 0; l < width_; ++l) {
        const double window = values.begin()[place * width_ + l];
        sum_re += window * re;
        sum_im += window * im;
        const double next_re = re * turn_re - im * turn_im;
        im = re * turn_im + im * turn_re;
        re = next_re;
      }
      const double difference = sum_re / exact - 1;
      sum_of_squares += weight * (difference * difference + sum_im * sum_im / (exact * exact));
    }
  }
  return std::sqrt(sum_of_squares / (places * pixels));
}

double Window::amplification() const {
  constexpr int steps = 16;  // of smooth functions
  double inverse_square = 0;
  double energy = 0;
  for (int i = 0; i < steps; ++i) {
    const double f = 0.5 / oversampling_ * (i + 0.5) / steps;
    inverse_square += 1 / (transform(f) * transform(f)) / steps;
  }
  for (int i = 0; i < steps * width_; ++i) {
    const double t = -0.5 * width_ + (i + 0.5) / steps;
    energy += value(t) * value(t) / steps;
  }
  return std::sqrt(inverse_square * energy);
}

double rounding_floor(const Window& window, int dim, double epsilon) {
  // Two parts, each a bound on what test/reference/test_nufft.cpp measures: values on the grid are rounded a few times
  // on their way (4 epsilon), and what is rounded near the edge of the field of view is amplified.
  return epsilon * (4 + 1.5 * std::pow(window.amplification(), dim));
}

namespace {

// Errors of the axes are independent: the product of 1 + e^2, less 1, for the square; a fifth more for trajectories
// that are not the average.
double own_error(const Window& window, const Shape& image) {
  double sum_of_logarithms = 0;
  double error = 0;
  Index of = 0;  // the extent whose error that is: often all are the same
  for (const Index extent : image) {
    if (extent != of) error = window.error(extent);
    of = extent;
    sum_of_logarithms += std::log1p(error * error);
  }
  return 1.2 * std::sqrt(std::expm1(sum_of_logarithms));
}

// The smallest error that any width reaches.
double least_error(WindowKind kind, double oversampling, const Shape& image, double epsilon) {
  double least = 1;
  for (int width = 2; width <= Window::max_width; ++width) {
    const Window window(kind, width, oversampling);
    const double floor = rounding_floor(window, image.rank(), epsilon);
    if (floor > least) break;  // and grows with the width
    least = std::min(least, own_error(window, image) + floor);
  }
  return least;
}

// About the width whose error is the tolerance. The error of a Kaiser-Bessel window falls by exp(-pi sqrt(1 - 1/s))
// from width to width (Fourmont, J. Fourier Anal. Appl. 9 (2003) 431); the factor 4 is fitted. Where to begin the
// search.
int likely_width(double oversampling, double tolerance) {
  const double decay = pi * std::sqrt(1 - 1 / oversampling);
  return std::clamp(static_cast<int>(std::ceil(std::log(4 / tolerance) / decay)), 2, Window::max_width);
}

}  // namespace

std::optional<Window> find_window(WindowKind kind, double oversampling, double tolerance, const Shape& image,
                                  double epsilon) {
  if (!(tolerance > 0 && tolerance < 1)) {
    throw ValueError(fmt::format("nufft: tolerance is {}, expected a number between 0 and 1", tolerance));
  }
  const auto error_of = [&](int width) { return own_error(Window(kind, width, oversampling), image); };
  // The narrowest whose own error is small enough: that error falls with the width.
  int width = likely_width(oversampling, tolerance);
  double error = error_of(width);
  while (error > tolerance && width < Window::max_width) error = error_of(++width);
  while (width > 2) {
    const double narrower = error_of(width - 1);
    if (narrower > tolerance) break;
    error = narrower;
    --width;
  }
  // And its rounding, which grows with the width.
  for (; width <= Window::max_width; ++width) {
    const Window window(kind, width, oversampling);
    const double floor = rounding_floor(window, image.rank(), epsilon);
    if (floor > tolerance) break;
    if (error + floor <= tolerance) return window;
    if (width < Window::max_width) error = error_of(width + 1);
  }
  return std::nullopt;
}

Window choose_window(WindowKind kind, double oversampling, double tolerance, const Shape& image, double epsilon) {
  if (const auto window = find_window(kind, oversampling, tolerance, image, epsilon)) return *window;
  const double best = least_error(kind, oversampling, image, epsilon);
  const bool single = epsilon > 1e-10;
  throw ValueError(fmt::format(
      "nufft: tolerance {:.1e} is below {:.1e}, the floor that rounding sets in {} precision for {}D, the {} window "
      "and "
      "oversampling {}; ask for {:.1e} or more, or use {}",
      tolerance, best, single ? "single" : "double", image.rank(),
      kind == WindowKind::gaussian ? "Gaussian" : "Kaiser-Bessel", oversampling, best * 1.05,
      single ? "double precision or a larger oversampling" : "the Kaiser-Bessel window with a larger oversampling"));
}

}  // namespace whorl
