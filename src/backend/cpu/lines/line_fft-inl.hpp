// The stages of LineFft, one line per lane. Included once per SIMD target.
//
// A block of lines is [point][2][lane]: the real parts of all lines at one point, then the imaginary parts.

#include "hwy/highway.h"

#include "backend/cpu/lines/line_fft.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct Lines {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  V re;
  V im;

  static HWY_INLINE Lines load(const T* point) {
    const D d;
    return {hn::Load(d, point), hn::Load(d, point + hn::Lanes(d))};
  }
  HWY_INLINE void store(T* point) const {
    const D d;
    hn::Store(re, d, point);
    hn::Store(im, d, point + hn::Lanes(d));
  }
  friend HWY_INLINE Lines operator+(Lines a, Lines b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
  friend HWY_INLINE Lines operator-(Lines a, Lines b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
  friend HWY_INLINE Lines operator*(V factor, Lines a) { return {hn::Mul(factor, a.re), hn::Mul(factor, a.im)}; }
  // this + factor * a
  HWY_INLINE Lines plus(V factor, Lines a) const {
    return {hn::MulAdd(factor, a.re, re), hn::MulAdd(factor, a.im, im)};
  }
  // this - factor * a
  HWY_INLINE Lines minus(V factor, Lines a) const {
    return {hn::NegMulAdd(factor, a.re, re), hn::NegMulAdd(factor, a.im, im)};
  }
};

// a + t b and a - t b, with t = -i (forward) or +i (inverse), without a separate negation.
template <bool inverse, class D>
HWY_INLINE void add_turned(Lines<D> a, Lines<D> b, Lines<D>& plus, Lines<D>& minus) {
  const Lines<D> first{hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
  const Lines<D> second{hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
  plus = inverse ? second : first;
  minus = inverse ? first : second;
}

// `half`: the second half of the points going in is zero and not read.
template <int radix, bool inverse, bool half, class D>
HWY_INLINE void butterfly(Lines<D> (&x)[radix]) {
  using T = hn::TFromD<D>;
  const D d;
  if constexpr (radix == 1) {
    return;
  } else if constexpr (radix == 2 && half) {
    x[1] = x[0];
  } else if constexpr (radix == 2) {
    const Lines<D> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  } else if constexpr (radix == 3) {
    const auto half_root3 = hn::Set(d, static_cast<T>(0.86602540378443864676));
    const Lines<D> sum = x[1] + x[2];
    const Lines<D> turned = half_root3 * (x[1] - x[2]);
    const Lines<D> center = x[0].plus(hn::Set(d, static_cast<T>(-0.5)), sum);
    x[0] = x[0] + sum;
    add_turned<inverse>(center, turned, x[1], x[2]);
  } else if constexpr (radix == 4 && half) {
    const Lines<D> even = x[0];
    const Lines<D> odd = x[1];
    x[0] = even + odd;
    x[2] = even - odd;
    add_turned<inverse>(even, odd, x[1], x[3]);
  } else if constexpr (radix == 4) {
    const Lines<D> even = x[0] + x[2];
    const Lines<D> even_difference = x[0] - x[2];
    const Lines<D> odd = x[1] + x[3];
    const Lines<D> odd_difference = x[1] - x[3];
    x[0] = even + odd;
    x[2] = even - odd;
    add_turned<inverse>(even_difference, odd_difference, x[1], x[3]);
  } else if constexpr (radix == 8) {
    // Two transforms of four points, with factors of eighths of a turn between them.
    const auto root_half = hn::Set(d, static_cast<T>(0.70710678118654752440));
    Lines<D> even[4] = {x[0], x[2], x[4], x[6]};
    Lines<D> odd[4] = {x[1], x[3], x[5], x[7]};
    butterfly<4, inverse, half>(even);
    butterfly<4, inverse, half>(odd);
    x[0] = even[0] + odd[0];
    x[4] = even[0] - odd[0];
    add_turned<inverse>(even[2], odd[2], x[2], x[6]);
    Lines<D> sum;
    Lines<D> difference;
    add_turned<inverse>(odd[1], odd[1], sum, difference);  // odd[1] (1 - i), odd[1] (1 + i)
    x[1] = even[1].plus(root_half, sum);
    x[5] = even[1].minus(root_half, sum);
    add_turned<inverse>(odd[3], odd[3], sum, difference);
    x[3] = even[3].minus(root_half, difference);
    x[7] = even[3].plus(root_half, difference);
  } else {
    static_assert(radix == 5);
    const auto cos1 = hn::Set(d, static_cast<T>(0.30901699437494742410));
    const auto cos2 = hn::Set(d, static_cast<T>(-0.80901699437494742410));
    const auto sin1 = hn::Set(d, static_cast<T>(0.95105651629515357212));
    const auto sin2 = hn::Set(d, static_cast<T>(0.58778525229247312917));
    const Lines<D> sum1 = x[1] + x[4];
    const Lines<D> sum2 = x[2] + x[3];
    const Lines<D> difference1 = x[1] - x[4];
    const Lines<D> difference2 = x[2] - x[3];
    const Lines<D> center1 = x[0].plus(cos1, sum1).plus(cos2, sum2);
    const Lines<D> center2 = x[0].plus(cos2, sum1).plus(cos1, sum2);
    x[0] = x[0] + sum1 + sum2;
    add_turned<inverse>(center1, (sin1 * difference1).plus(sin2, difference2), x[1], x[4]);
    add_turned<inverse>(center2, (sin2 * difference1).plus(hn::Neg(sin1), difference2), x[2], x[3]);
  }
}

// a times w, or its conjugate.
template <bool conjugate, class D>
HWY_INLINE Lines<D> twiddled(Lines<D> a, const hn::TFromD<D>* w) {
  const D d;
  const auto re = hn::Set(d, w[0]);
  const auto im = hn::Set(d, w[1]);
  if constexpr (conjugate) {
    return {hn::MulAdd(a.im, im, hn::Mul(a.re, re)), hn::NegMulAdd(a.re, im, hn::Mul(a.im, re))};
  }
  return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.re, im, hn::Mul(a.im, re))};
}

// One stage over one block. `half`: only the first half of the points, before the transform or after the inverse, is read
// or written. The others are zero, or nobody needs them.
template <int radix, bool inverse, bool half, class D>
HWY_INLINE void block_stage(const typename LineFft<hn::TFromD<D>>::Stage& stage, hn::TFromD<D>* block) {
  const D d;
  const Index point = 2 * static_cast<Index>(hn::Lanes(d));
  const Index inner = stage.size / radix;
  const auto* w = stage.twiddle.data();
  constexpr int in = half && !inverse ? radix / 2 : radix;
  constexpr int out = half && inverse ? radix / 2 : radix;
  for (Index p = 0; p < inner; ++p) {
    Lines<D> x[radix];
    WHORL_UNROLL
    for (int q = 0; q < in; ++q) {
      x[q] = Lines<D>::load(block + (p + q * inner) * point);
      if (inverse && q > 0 && inner > 1) x[q] = twiddled<true>(x[q], w + 2 * (q - 1));
    }
    butterfly<radix, inverse, half && !inverse>(x);
    WHORL_UNROLL
    for (int q = 0; q < out; ++q) {
      if (!inverse && q > 0 && inner > 1) x[q] = twiddled<false>(x[q], w + 2 * (q - 1));
      x[q].store(block + (p + q * inner) * point);
    }
    w += 2 * (radix - 1);
  }
}

// Calls work.template operator()<radix>() for the radix of a stage. `half`: it is even.
template <bool half, class Work>
HWY_INLINE void with_radix(int radix, const Work& work) {
  if (radix == 2) return work.template operator()<2>();
  if (radix == 4) return work.template operator()<4>();
  if (radix == 8) return work.template operator()<8>();
  if constexpr (!half) {
    if (radix == 3) return work.template operator()<3>();
    return work.template operator()<5>();
  }
}

template <bool inverse, bool half, class D>
HWY_INLINE void stage_of_any_radix(const typename LineFft<hn::TFromD<D>>::Stage& stage, hn::TFromD<D>* block) {
  with_radix<half>(stage.radix, [&]<int radix>() { block_stage<radix, inverse, half, D>(stage, block); });
}

// Whether the first stage can leave out half of the points.
template <class T>
HWY_INLINE bool has_halves(const LineFft<T>& fft) {
  return !fft.stages.empty() && fft.stages.front().radix % 2 == 0;
}

// Depth first: the next stage finds what this one wrote in the first-level cache. `half`, where has_halves: the second half
// of the points before the transform is zero and not read, or is not needed after the inverse and left as it is.
template <bool inverse, bool half, class D>
HWY_NOINLINE void transform_lines(const LineFft<hn::TFromD<D>>& fft, std::size_t first_stage, hn::TFromD<D>* block) {
  if (first_stage == fft.stages.size()) return;
  const D d;
  const auto& stage = fft.stages[first_stage];
  const Index part = stage.size / stage.radix * 2 * static_cast<Index>(hn::Lanes(d));
  if (!inverse) stage_of_any_radix<inverse, half, D>(stage, block);
  for (int q = 0; q < stage.radix && first_stage + 1 < fft.stages.size(); ++q) {
    transform_lines<inverse, false, D>(fft, first_stage + 1, block + q * part);
  }
  if (inverse) stage_of_any_radix<inverse, half, D>(stage, block);
}

// The last stage, the product with the spectrum, and the first stage of the inverse.
template <int radix, bool half, class D>
HWY_INLINE void convolve_points(const hn::TFromD<D>* spectrum, Index step, hn::TFromD<D>* block) {
  const D d;
  const Index point = 2 * static_cast<Index>(hn::Lanes(d));
  constexpr int pixels = half ? radix / 2 : radix;
  Lines<D> x[radix];
  WHORL_UNROLL
  for (int q = 0; q < pixels; ++q) x[q] = Lines<D>::load(block + q * point);
  butterfly<radix, false, half>(x);
  WHORL_UNROLL
  for (int q = 0; q < radix; ++q) x[q] = hn::LoadU(d, spectrum + q * step) * x[q];
  butterfly<radix, true, false>(x);
  WHORL_UNROLL
  for (int q = 0; q < pixels; ++q) x[q].store(block + q * point);
}

// inverse(spectrum * transform) of a block, depth first. `spectrum`: of the place of each point, `step` apart. `half` as in
// transform_lines, of both.
template <bool half, class D>
HWY_NOINLINE void convolve_lines(const LineFft<hn::TFromD<D>>& fft, std::size_t first_stage,
                                 const hn::TFromD<D>* spectrum, Index step, hn::TFromD<D>* block) {
  if (fft.stages.empty()) return convolve_points<1, false, D>(spectrum, step, block);
  const D d;
  const auto& stage = fft.stages[first_stage];
  if (first_stage + 1 == fft.stages.size()) {
    return with_radix<half>(stage.radix, [&]<int radix>() { convolve_points<radix, half, D>(spectrum, step, block); });
  }
  const Index part = stage.size / stage.radix;
  stage_of_any_radix<false, half, D>(stage, block);
  for (int q = 0; q < stage.radix; ++q) {
    convolve_lines<false, D>(fft, first_stage + 1, spectrum + q * part * step, step,
                             block + q * part * 2 * static_cast<Index>(hn::Lanes(d)));
  }
  stage_of_any_radix<true, half, D>(stage, block);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
