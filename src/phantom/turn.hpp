// Private: exp(2 pi i cycles), in a form that compilers turn into SIMD instructions.
#pragma once

#include <cmath>
#include <numbers>

namespace whorl::detail {

/// Cosine and sine of 2 pi cycles, to 2.3e-15, for |cycles| below 2^51. Whole turns are removed exactly, which is
/// impossible for a function of radians. Taylor series take a quarter of the angle, at most pi/4, up to terms of 1e-16;
/// the angle is then doubled twice.
inline void turn(double cycles, double& cosine, double& sine) {
  constexpr double round_to_whole = 0x1.8p52;  // where doubles have no bits for fractions
  const double angle = (cycles - ((cycles + round_to_whole) - round_to_whole)) * (std::numbers::pi / 2);
  const double x = angle * angle;
  const double s =
      angle *
      (1 + x * (-1.0 / 6 +
                x * (1.0 / 120 +
                     x * (-1.0 / 5040 +
                          x * (1.0 / 362880 + x * (-1.0 / 39916800 + x * (1.0 / 6227020800 - x / 1307674368000)))))));
  const double c =
      1 + x * (-1.0 / 2 +
               x * (1.0 / 24 +
                    x * (-1.0 / 720 +
                         x * (1.0 / 40320 + x * (-1.0 / 3628800 + x * (1.0 / 479001600 + x * (-1.0 / 87178291200 +
                                                                                              x / 20922789888000)))))));
  const double s2 = 2 * s * c;
  const double c2 = 1 - 2 * s * s;
  sine = 2 * s2 * c2;
  cosine = 1 - 2 * s2 * s2;
}

}  // namespace whorl::detail
