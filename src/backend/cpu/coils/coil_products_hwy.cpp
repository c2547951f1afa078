#include "backend/cpu/coils/coil_products.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/coils/coil_products_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// A vector of one number has no neighbor.
template <class Real>
HWY_INLINE void multiply_all(Index points, const Real* map, const Real* x, Real* y) {
  for (Index i = 0; i < 2 * points; i += 2) {
    y[i] = map[i] * x[i] - map[i + 1] * x[i + 1];
    y[i + 1] = map[i] * x[i + 1] + map[i + 1] * x[i];
  }
}

template <class Real>
HWY_INLINE void add_conjugate_all(Index points, const Real* map, const Real* y, Real* x) {
  for (Index i = 0; i < 2 * points; i += 2) {
    x[i] += map[i] * y[i] + map[i + 1] * y[i + 1];
    x[i + 1] += map[i] * y[i + 1] - map[i + 1] * y[i];
  }
}

#else

// Real and imaginary parts alternate in a vector. The sums have the order of the vector for the last points, too, so that a
// product does not depend on its place in the line.
template <class Real>
using Points = hn::ScalableTag<Real>;
template <class Real>
using OnePoint = hn::CappedTag<Real, 2>;

// map * x: the parts of x times the real part of map, and exchanged times the imaginary one, which turns by a quarter.
template <class Tag, class Real>
HWY_INLINE void multiply(Tag d, const Real* map, const Real* x, Real* y) {
  const auto m = hn::LoadU(d, map);
  const auto v = hn::LoadU(d, x);
  const auto turned = hn::Mul(hn::DupOdd(m), hn::Reverse2(d, v));
  hn::StoreU(hn::MulAdd(hn::DupEven(m), v, hn::OddEven(turned, hn::Neg(turned))), d, y);
}

template <class Tag, class Real>
HWY_INLINE void add_conjugate(Tag d, const Real* map, const Real* y, Real* x) {
  const auto m = hn::LoadU(d, map);
  const auto v = hn::LoadU(d, y);
  const auto turned = hn::Mul(hn::DupOdd(m), hn::Reverse2(d, v));
  const auto product = hn::MulAdd(hn::DupEven(m), v, hn::OddEven(hn::Neg(turned), turned));
  hn::StoreU(hn::Add(hn::LoadU(d, x), product), d, x);
}

template <class Real>
HWY_INLINE void multiply_all(Index points, const Real* map, const Real* x, Real* y) {
  const Points<Real> d;
  const OnePoint<Real> one;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= 2 * points; i += lanes) multiply(d, map + i, x + i, y + i);
  for (; i < 2 * points; i += 2) multiply(one, map + i, x + i, y + i);
}

template <class Real>
HWY_INLINE void add_conjugate_all(Index points, const Real* map, const Real* y, Real* x) {
  const Points<Real> d;
  const OnePoint<Real> one;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= 2 * points; i += lanes) add_conjugate(d, map + i, y + i, x + i);
  for (; i < 2 * points; i += 2) add_conjugate(one, map + i, y + i, x + i);
}

#endif

void multiply_floats(Index points, const float* map, const float* x, float* y) { multiply_all(points, map, x, y); }
void multiply_doubles(Index points, const double* map, const double* x, double* y) { multiply_all(points, map, x, y); }
void add_floats(Index points, const float* map, const float* y, float* x) { add_conjugate_all(points, map, y, x); }
void add_doubles(Index points, const double* map, const double* y, double* x) { add_conjugate_all(points, map, y, x); }

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(multiply_floats);
HWY_EXPORT(multiply_doubles);
HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

namespace {

// A complex number is an array of its two parts.
template <class Real>
const Real* parts(const std::complex<Real>* numbers) {
  return reinterpret_cast<const Real*>(numbers);
}
template <class Real>
Real* parts(std::complex<Real>* numbers) {
  return reinterpret_cast<Real*>(numbers);
}

}  // namespace

void multiply_line(Index points, const std::complex<float>* map, const std::complex<float>* x, std::complex<float>* y) {
  HWY_DYNAMIC_DISPATCH(multiply_floats)(points, parts(map), parts(x), parts(y));
}
void multiply_line(Index points, const std::complex<double>* map, const std::complex<double>* x,
                   std::complex<double>* y) {
  HWY_DYNAMIC_DISPATCH(multiply_doubles)(points, parts(map), parts(x), parts(y));
}
void add_conjugate_products(Index points, const std::complex<float>* map, const std::complex<float>* y,
                            std::complex<float>* x) {
  HWY_DYNAMIC_DISPATCH(add_floats)(points, parts(map), parts(y), parts(x));
}
void add_conjugate_products(Index points, const std::complex<double>* map, const std::complex<double>* y,
                            std::complex<double>* x) {
  HWY_DYNAMIC_DISPATCH(add_doubles)(points, parts(map), parts(y), parts(x));
}

}  // namespace whorl::backend::cpu
#endif
