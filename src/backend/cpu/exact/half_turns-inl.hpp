// Sine and cosine of angles in half turns, for each target of Highway. Included by files that are compiled once per
// target, after hwy/highway.h.
#if defined(WHORL_HALF_TURNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_HALF_TURNS_INL
#undef WHORL_HALF_TURNS_INL
#else
#define WHORL_HALF_TURNS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// f = h - n and flips = sign bit of (-1)^n, with n the nearest integer, for |h| < 2^21 (float) or 2^50 (double).
/// Exact. Here and below each step is done for all vectors before the next step, so that the processor always has
/// operations that do not depend on the previous one.
template <int kVectors, class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE void nearest_half_turn(D d, const V (&h)[kVectors], V (&f)[kVectors], V (&flips)[kVectors]) {
  const hn::RebindToUnsigned<D> bits;
  // Adding 1.5 * 2^(bits of the mantissa - 1) rounds to the nearest integer, and leaves its parity in the lowest bit.
  constexpr bool single = sizeof(T) == 4;
  const V shift = hn::Set(d, single ? T(12582912.0) : T(6755399441055744.0));
  for (int v = 0; v < kVectors; ++v) flips[v] = hn::Add(h[v], shift);
  for (int v = 0; v < kVectors; ++v) f[v] = hn::Sub(h[v], hn::Sub(flips[v], shift));
  for (int v = 0; v < kVectors; ++v) {
    flips[v] = hn::BitCast(d, hn::ShiftLeft < single ? 31 : 63 > (hn::BitCast(bits, flips[v])));
  }
}

/// sines = (-1)^n sin(pi f) and cosines = (-1)^n cos(pi f) for |f| <= 1/2.
///
/// The polynomials have the least maximal error on that interval (Remez exchange in 50 digits): float 5.9e-7 (sine,
/// degree 7) and 4.7e-8 (cosine, degree 8), double 9e-17 (degree 15) and 4e-18 (degree 16).
template <int kVectors, class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE void sine_cosine(D d, const V (&f)[kVectors], const V (&flips)[kVectors], V (&sines)[kVectors],
                            V (&cosines)[kVectors]) {
  constexpr bool single = sizeof(T) == 4;
  V u[kVectors];
  for (int v = 0; v < kVectors; ++v) u[v] = hn::Mul(f[v], f[v]);
  const auto set = [&](V(&sums)[kVectors], double coefficient) HWY_ATTR {
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Set(d, T(coefficient));
  };
  const auto next = [&](V(&sums)[kVectors], double coefficient) HWY_ATTR {
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(sums[v], u[v], hn::Set(d, T(coefficient)));
  };
  // NOLINTBEGIN(modernize-use-std-numbers): a coefficient of the fit, not pi
  if constexpr (single) {
    set(cosines, 0.21969679869656713972);
    set(sines, -0.55463619746529427765);
    next(cosines, -1.3318801612949225472);
    next(sines, 2.5418990277510835758);
    next(cosines, 4.0584119141742116767);
    next(sines, -5.1671427963888291943);
    next(cosines, -4.9347928586756161372);
    next(sines, 3.1415820221512704557);
    next(cosines, 0.99999995346667025196);
  } else {
    set(cosines, 4.1495917174498689429e-6);
    set(sines, -0.000021085689820868919157);
    next(cosines, -0.00010456658075101689834);
    next(sines, 0.00046594206893217039288);
    next(cosines, 0.0019295562835981926151);
    next(sines, -0.0073703474690743975406);
    next(cosines, -0.025806888739353787028);
    next(sines, 0.082145875596467561716);
    next(cosines, 0.2353306301298084344);
    next(sines, -0.59926452849585596867);
    next(cosines, -1.3352627688434646307);
    next(sines, 2.5501640398445715762);
    next(cosines, 4.0587121264164975476);
    next(sines, -5.1677127800493853286);
    next(cosines, -4.9348022005446767738);
    next(sines, 3.1415926535897901958);
    next(cosines, 0.99999999999999999609);
  }
  // NOLINTEND(modernize-use-std-numbers)
  for (int v = 0; v < kVectors; ++v) sines[v] = hn::Mul(hn::Xor(f[v], flips[v]), sines[v]);
  for (int v = 0; v < kVectors; ++v) cosines[v] = hn::Xor(cosines[v], flips[v]);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
