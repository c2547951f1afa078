// exp(2 pi i turns) for turns that are a sum of up to three products, reduced to one turn exactly.
#pragma once

#include "backend/cuda/device/complex.cuh"

namespace whorl::backend::cuda {

/// The method for the sine and cosine of a float. The special function units of a multiprocessor evaluate 16 per clock.
/// Polynomials use the other arithmetic units at the same time, so a kernel that mixes both is fastest.
enum class SineFrom { special_function_unit, polynomial };

/// Turns plus this number, in double, have the fraction of a turn in the lowest 23 bits, which fill the mantissa of a
/// float, for any number of whole turns below 2^28. The half turn is subtracted again below.
inline constexpr double turn_shift = 1.5 * 536870912.0 + 0.5;

/// Extracts the fraction from turns + turn_shift.
class FractionBits {
 public:
  // blockDim.z is 1. The compiler does not know this and keeps the sum in a register; then one instruction applies both
  // masks.
  __device__ FractionBits() : exponent_(0x3f7fffff + static_cast<int>(blockDim.z)) {}

  /// The fraction in [-1/2, 1/2), plus 3/2.
  __device__ float and_three_halves(double shifted) const {
    return __int_as_float((__double2loint(shifted) & 0x7fffff) | exponent_);
  }

 private:
  int exponent_;
};

/// exp(2 pi i (f - 3/2)) for f in [1, 2].
template <SineFrom kFrom>
__device__ inline float2 unit_phase(float f) {
  if constexpr (kFrom == SineFrom::special_function_unit) {
    constexpr float radians = 0x1.921fb8p+2F;  // 2 pi to 23 bits, so that 3/2 of it is a float too
    const float angle = fmaf(f, radians, -1.5f * radians);
    return {__cosf(angle), __sinf(angle)};
  } else {
    // Square roots of two times sine and cosine of half the angle, which give those of the angle by two products.
    // Polynomials of least maximal error in the result (Remez exchange): 3.0e-7 (sine) and 1.3e-7 (cosine).
    const float h = f - 1.5f;
    const float u = h * h;
    float cosine = fmaf(0.31148106f, u, -1.8839531f);
    float sine = fmaf(-0.79729643f, u, 3.5993485f);
    cosine = fmaf(cosine, u, 5.7395216f);
    sine = fmaf(sine, u, -7.3078884f);
    cosine = fmaf(cosine, u, -6.9788539f);
    sine = fmaf(sine, u, 4.4428783f) * h;
    cosine = fmaf(cosine, u, 1.4142135f);
    return {fmaf(cosine, cosine, -1.0f), sine * cosine};
  }
}

/// The fraction of a turn in k r: the product is exact as the sum of two doubles, and so is subtracting the integer.
__device__ inline double turn_fraction(double k, double r) {
  const double product = k * r;
  return product - rint(product) + fma(k, r, -product);
}

/// exp(2 pi i turns)
__device__ inline double2 unit_phase(double turns) {
  double2 e;
  sincospi(2 * turns, &e.y, &e.x);
  return e;
}

}  // namespace whorl::backend::cuda
