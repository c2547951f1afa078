// Private: sin(x) / x.
#pragma once

#include <cmath>

namespace whorl::detail {

inline double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

/// sinc(x) of x = a - b from the sines and cosines of a and b, which are at hand. Near 0 their difference cancels.
inline double sinc_of_difference(double x, double sine_a, double cosine_a, double sine_b, double cosine_b) {
  return std::abs(x) > 0.1 ? (sine_a * cosine_b - cosine_a * sine_b) / x : sinc(x);
}

}  // namespace whorl::detail
