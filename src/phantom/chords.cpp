#include "phantom/chords.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phantom/curve.hpp"

namespace whorl::detail {
namespace {

using Chord = std::pair<double, double>;

// x with |start + x * slope| <= limit.
Chord within(double start, double slope, double limit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (slope == 0) return std::abs(start) <= limit ? Chord{-infinity, infinity} : Chord{infinity, -infinity};
  const double a = (-limit - start) / slope;
  const double b = (limit - start) / slope;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Chords::Chords(const PhantomFigure& figure, int dim) : figure_(figure), dim_(dim) {
  if (const Contour* contour = std::get_if<Contour>(&figure)) corners_ = curve_polygon(*contour);
}

std::vector<Chord> Chords::at(double y, double z) const {
  return std::visit([&](const auto& figure) { return at(figure, y, z); }, figure_);
}

std::vector<Chord> Chords::at(const Solid& solid, double y, double z) const {
  const double height = dim_ == 3 ? (z - solid.center[2]) / solid.half_axes[2] : 0;
  if (std::abs(height) > 1) return {};
  // In the coordinates of the unit figure the line is u + x du, v + x dv, x from the center.
  const double cosine = std::cos(solid.angle);
  const double sine = std::sin(solid.angle);
  const double from_center = y - solid.center[1];
  const double u = sine * from_center / solid.half_axes[0];
  const double v = cosine * from_center / solid.half_axes[1];
  const double du = cosine / solid.half_axes[0];
  const double dv = -sine / solid.half_axes[1];
  if (solid.kind == SolidKind::box) {
    const Chord along = within(u, du, 1);
    const Chord across = within(v, dv, 1);
    const Chord both{std::max(along.first, across.first), std::min(along.second, across.second)};
    if (both.first > both.second) return {};
    return {{solid.center[0] + both.first, solid.center[0] + both.second}};
  }
  const double limit = solid.kind == SolidKind::ellipsoid ? 1 - height * height : 1;
  const double square = du * du + dv * dv;
  const double middle = -(u * du + v * dv) / square;
  const double closest = std::pow(u + middle * du, 2) + std::pow(v + middle * dv, 2);
  if (closest > limit) return {};
  const double half = std::sqrt((limit - closest) / square);
  return {{solid.center[0] + middle - half, solid.center[0] + middle + half}};
}

std::vector<Chord> Chords::at(const Contour& contour, double y, double z) const {
  if (dim_ == 3 && std::abs(z - contour.center_z) > contour.half_length) return {};
  // An edge counts from its lower end to below its upper end, so that a corner counts once.
  std::vector<double> crossings;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const auto& a = corners_[i];
    const auto& b = corners_[(i + 1) % corners_.size()];
    if ((a[1] <= y) != (b[1] <= y)) crossings.push_back(a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
  }
  std::sort(crossings.begin(), crossings.end());
  std::vector<Chord> chords;
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) chords.emplace_back(crossings[i], crossings[i + 1]);
  return chords;
}

}  // namespace whorl::detail
