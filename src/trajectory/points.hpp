// Private: arithmetic of positions in k-space.
#pragma once

#include <cmath>

#include "whorl/trajectory/motion.hpp"

namespace whorl::detail {

/// a + factor b
inline KPoint plus(const KPoint& a, const KPoint& b, double factor) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

inline KPoint cross(const KPoint& a, const KPoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double dot(const KPoint& a, const KPoint& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Replaces std::hypot of three numbers, which in libstdc++ assumes finite numbers.
inline double norm(const KPoint& a) { return std::sqrt(dot(a, a)); }

/// Turned about z.
inline KPoint turned(const KPoint& a, double angle) {
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  return {cosine * a[0] - sine * a[1], sine * a[0] + cosine * a[1], a[2]};
}

}  // namespace whorl::detail
