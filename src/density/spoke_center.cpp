#include "density/spoke_center.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace whorl::detail {

namespace {

using Complex = std::complex<double>;

constexpr double two_pi = 2 * std::numbers::pi;

// Objects fill this part of the field of view along a spoke. At 1 and without oversampling the missing part is
// unbounded: the object touches its own copies.
constexpr double filled = 0.9;

// The integral of rho^(dim-1) exp(2 pi i rho xi) from 0 on, minus the sum of the same over rho = offset, offset + 1,
// ...: both in the sense of Abel.
Complex missing_of_side(int dim, double offset, double xi) {
  const Complex z = std::polar(1.0, two_pi * xi);
  const Complex first = std::polar(1.0, two_pi * xi * offset);
  const Complex d = 1.0 - z;
  const Complex slope(0, -two_pi * xi);
  if (dim == 2) return 1.0 / (slope * slope) - first * (offset / d + z / (d * d));
  return 2.0 / (slope * slope * slope) -
         first * (offset * offset / d + 2 * offset * z / (d * d) + z * (1.0 + z) / (d * d * d));
}

// Distances between two points of a disc (dim 2) or ball of diameter 1, along one axis: x in (0, 1) and its density.
struct Distances {
  static constexpr int count = 128;
  std::vector<double> x;
  std::vector<double> frequency;

  explicit Distances(int dim) {
    // Both points have the density (1 - 4 t^2)^((dim-1)/2); the density of their difference is its convolution.
    const auto density = [&](double t) { return t * t < 0.25 ? std::pow(1 - 4 * t * t, 0.5 * (dim - 1)) : 0.0; };
    for (int i = 0; i < count; ++i) {
      const double distance = (i + 0.5) / count;
      double sum = 0;
      for (int j = 0; j < count; ++j) {
        const double t = distance - 0.5 + (1 - distance) * (j + 0.5) / count;
        sum += density(t) * density(t - distance);
      }
      x.push_back(distance);
      frequency.push_back(sum * (1 - distance));
    }
  }
};

const Distances& distances_of(int dim) {
  static const Distances plane(2);
  static const Distances space(3);
  return dim == 2 ? plane : space;
}

}  // namespace

double center_weight(const SpokeCenter& center) {
  // k^2 times a smooth function has no kink along a line through the center.
  if (center.dim == 3 && center.through) return 0;
  const Distances& distances = distances_of(center.dim);
  const double farthest = filled * std::min(center.step, 1.0);
  const double offset = center.offset;
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < distances.x.size(); ++i) {
    const double xi = farthest * distances.x[i];
    const Complex ahead = missing_of_side(center.dim, center.through ? 1 - offset : offset, xi);
    // A spoke from the center has a counterpart in the opposite direction: both together are real.
    const Complex missing =
        center.through ? ahead + std::conj(missing_of_side(center.dim, offset, xi)) : Complex(ahead.real());
    const Complex taken = center.through ? (1 - offset) * std::polar(1.0, -two_pi * offset * xi) +
                                               offset * std::polar(1.0, two_pi * (1 - offset) * xi)
                                         : Complex(std::cos(two_pi * offset * xi));
    product += distances.frequency[i] * (missing * std::conj(taken)).real();
    square += distances.frequency[i] * std::norm(taken);
  }
  return product / square;
}

}  // namespace whorl::detail
