// The arithmetic of point operations on one number, with the same bits everywhere: products are rounded before they are
// added, even if the processor could fuse both (sources that include this are compiled accordingly).
#pragma once

#include <cmath>

#include "filter/src/kernels/points/points.hpp"

#ifdef __CUDACC__
#define WHORL_POINT __host__ __device__ inline
#else
#define WHORL_POINT inline
#endif

namespace whorl::kernels::point {

WHORL_POINT float times(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

WHORL_POINT float plus(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

/// NaN stays NaN.
WHORL_POINT float within(float v, float low, float high) {
  const float above = v < low ? low : v;
  return above > high ? high : above;
}

WHORL_POINT float affine(float v, float scale, float shift, float low, float high) {
  return within(plus(times(v, scale), shift), low, high);
}

WHORL_POINT float power(float v, float exponent) {
  const float size = powf(fabsf(v), exponent);
  return v < 0 ? -size : size;
}

/// v * levels, rounded to the nearest of 0 .. levels: twice the product, rounded down, shows the side of a half.
WHORL_POINT int quantize(float v, float levels) {
  const float doubled = times(v, 2 * levels);
  // Both comparisons fail for NaN.
  const float inside = doubled > 0 ? (doubled < 2 * levels ? doubled : 2 * levels) : 0;
  return (static_cast<int>(inside) + 1) / 2;
}

/// The bin of v; NaN is in the first bin.
WHORL_POINT int bin_of(float v, float scale, float shift) {
  const float place = times(plus(v, -shift), scale);
  const float last = point_bins - 1;
  return static_cast<int>(place > 0 ? (place < last ? place : last) : 0);
}

/// The two possible divisors are constants, so that the compiler replaces divisions by multiplications.
WHORL_POINT unsigned divide(unsigned sum, int divisor) { return divisor == 3 ? sum / 3U : sum / 10000U; }

WHORL_POINT int mix(int r, int g, int b, const PointStep& step) {
  const unsigned sum = static_cast<unsigned>(step.weights[0]) * static_cast<unsigned>(r) +
                       static_cast<unsigned>(step.weights[1]) * static_cast<unsigned>(g) +
                       static_cast<unsigned>(step.weights[2]) * static_cast<unsigned>(b);
  return static_cast<int>(divide(sum, step.divisor));
}

/// The weights are in `scale`.
WHORL_POINT float mix(float r, float g, float b, const PointStep& step) {
  return plus(plus(times(step.scale[0], r), times(step.scale[1], g)), times(step.scale[2], b));
}

WHORL_POINT float magnitude(float real, float imag) { return sqrtf(plus(times(real, real), times(imag, imag))); }

WHORL_POINT float threshold(float v, float limit) { return v > limit ? 1.0F : 0.0F; }

}  // namespace whorl::kernels::point
