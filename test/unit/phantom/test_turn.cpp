#include "phantom/turn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace whorl {
namespace {

// The oracle: fractions of a turn, which fmod takes off exactly, in long double.
TEST(Turn, CosineAndSineToTheirRounding) {
  // With u = 2^-53, s to 2u of its size and c to 2u: the first doubling leaves s2 to 4u of its size and c2 to 6u, the
  // second a sine to 5u + 12u and a cosine to 2 (8u + u) + u, all for magnitudes of 1. 20u is above both.
  constexpr double tolerance = 20 * 0x1p-53;
  for (int i = -2000; i <= 2000; ++i) {
    for (const double scale : {0.00041, 0.37, 1e4, 3.3e9}) {
      const double cycles = i * scale;
      const long double angle = 2 * std::numbers::pi_v<long double> * std::fmod(static_cast<long double>(cycles), 1.0L);
      double cosine = 0;
      double sine = 0;
      detail::turn(cycles, cosine, sine);
      EXPECT_NEAR(cosine, static_cast<double>(std::cos(angle)), tolerance) << cycles;
      EXPECT_NEAR(sine, static_cast<double>(std::sin(angle)), tolerance) << cycles;
    }
  }
}

}  // namespace
}  // namespace whorl
