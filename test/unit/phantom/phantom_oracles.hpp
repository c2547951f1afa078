// Other ways to the transforms of figures.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <vector>

#include "whorl/phantom/phantom.hpp"

namespace whorl::test {

using Plane = std::array<double, 2>;

/// integral_0^1 f(t) dt by the Gauss-Legendre rule of five points on each of `parts` equal parts.
inline std::complex<double> integrate(int parts, const std::function<std::complex<double>(double)>& f) {
  constexpr std::array<double, 5> places{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                         0.9061798459386640};
  constexpr std::array<double, 5> weights{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                          0.4786286704993665, 0.2369268850561891};
  std::complex<double> sum = 0;
  for (int part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < 5; ++i) sum += weights[i] * f((part + (places[i] + 1) / 2) / parts) / (2.0 * parts);
  }
  return sum;
}

/// What lies within the closed curve r(t), 0 <= t <= pieces, smooth on each piece, as an integral over its area: the
/// fan of the lines from the origin to the curve, r = s r(t), whose area element is s (r x r') ds dt. Both senses of
/// rotation give the same.
///
/// Along the curve and along the lines, none longer than `length`, the phase turns by 2 pi |k| length at most, and by
/// q = 0.8 on each of the parts. The five-point rule errs by (5!)^4 / (11 (10!)^3) q^10 = 4e-14 of the integrand there.
inline std::complex<double> fan_transform(int pieces, const std::function<Plane(double)>& r,
                                          const std::function<Plane(double)>& slope, const Plane& k, double length) {
  const int parts = 3 + static_cast<int>(2 * std::numbers::pi * std::hypot(k[0], k[1]) * length / 0.8);
  std::complex<double> sum = 0;
  double area = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    sum += integrate(parts, [&](double t) {
      const Plane place = r(piece + t);
      const Plane step = slope(piece + t);
      const double cross = place[0] * step[1] - place[1] * step[0];
      area += cross;
      const double turns = k[0] * place[0] + k[1] * place[1];
      return cross * integrate(parts, [&](double s) { return s * std::polar(1.0, -2 * std::numbers::pi * s * turns); });
    });
  }
  return area < 0 ? -sum : sum;
}

/// Place and slope on the closed uniform cubic B-spline with these control points, by the basis functions: point i
/// counts with B(t - i), B the bump that is 2/3 - u^2 + |u|^3/2 for |u| < 1 and (2 - |u|)^3/6 for |u| < 2.
inline Plane spline_place(const std::vector<Plane>& points, double t, bool slope) {
  const auto count = static_cast<int>(points.size());
  Plane sum{};
  for (int i = -3; i < count + 3; ++i) {
    const double u = t - i;
    const double size = std::abs(u);
    const double sign = u < 0 ? -1 : 1;
    double weight = 0;
    if (size < 1) {
      weight = slope ? sign * (-2 * size + 1.5 * size * size) : 2.0 / 3 - size * size + size * size * size / 2;
    } else if (size < 2) {
      weight = slope ? -sign * std::pow(2 - size, 2) / 2 : std::pow(2 - size, 3) / 6;
    }
    const auto& point = points[static_cast<std::size_t>((i + count) % count)];
    for (std::size_t axis = 0; axis < 2; ++axis) sum[axis] += weight * point[axis];
  }
  return sum;
}

/// A phantom of one region of intensity 1.
inline Phantom one_figure(int dim, PhantomFigure figure) {
  Phantom phantom;
  phantom.name = "test";
  phantom.dim = dim;
  phantom.regions.push_back({std::move(figure), {1, 0, 0}});
  return phantom;
}

}  // namespace whorl::test
