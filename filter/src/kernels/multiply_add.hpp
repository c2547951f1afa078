// A fused product and sum. The target is compiled without contraction, so only these operations are fused.
#pragma once

#include <cmath>

#include "filter/src/kernels/points/point_arithmetic.hpp"

namespace whorl::kernels {

/// a b + c, rounded once.
WHORL_POINT float multiply_add(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

WHORL_POINT double multiply_add(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

/// For integers, where nothing is rounded.
template <class Number>
WHORL_POINT Number multiply_add(Number a, Number b, Number c) {
  return a * b + c;
}

}  // namespace whorl::kernels
