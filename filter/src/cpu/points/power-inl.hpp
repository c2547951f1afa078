// Powers of vectors. Included once for each instruction set.
#if defined(WHORL_CPU_FILTER_POWER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_CPU_FILTER_POWER_INL
#undef WHORL_CPU_FILTER_POWER_INL
#else
#define WHORL_CPU_FILTER_POWER_INL
#endif

#include <hwy/highway.h>

#include <numbers>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using DoubleBits = hn::ScalableTag<std::uint64_t>;

// log2(x) for 0 < x < infinity, to 2e-9 of itself: x = 2^k m with m from sqrt(1/2) to sqrt(2), and log(m) =
// 2 atanh(s) with s = (m - 1) / (m + 1), |s| < 0.172, whose series ends before s^11 / 11.
HWY_INLINE hn::Vec<Doubles> log2_of(hn::Vec<Doubles> x) {
  const Doubles d;
  const DoubleBits du;
  constexpr std::uint64_t one = 0x3FF0000000000000;
  constexpr std::uint64_t root_of_half = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t two_to_52 = 0x4330000000000000;
  constexpr int fraction_bits = 52;
  const auto shifted = hn::Add(hn::BitCast(du, x), hn::Set(du, one - root_of_half));
  const auto exponent = hn::ShiftRight<fraction_bits>(shifted);  // plus 1023
  const auto k = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::Set(du, two_to_52))), hn::Set(d, 0x1p52 + 1023));
  const auto fraction = hn::And(shifted, hn::Set(du, (std::uint64_t{1} << fraction_bits) - 1));
  const auto m = hn::BitCast(d, hn::Add(fraction, hn::Set(du, root_of_half)));
  const auto s = hn::Div(hn::Sub(m, hn::Set(d, 1)), hn::Add(m, hn::Set(d, 1)));
  const auto square = hn::Mul(s, s);
  constexpr double two_over_log = 2.8853900817779268;  // 2 / ln 2
  auto sum = hn::Set(d, two_over_log / 9);
  for (const double term : {two_over_log / 7, two_over_log / 5, two_over_log / 3, two_over_log}) {
    sum = hn::Add(hn::Mul(sum, square), hn::Set(d, term));
  }
  return hn::Add(hn::Mul(sum, s), k);
}

// 2^y for |y| < 1000, to 6e-9 of itself: by the series of 2^r, |r| <= 1/2, which ends before (r ln 2)^8 / 8!.
HWY_INLINE hn::Vec<Doubles> exp2_of(hn::Vec<Doubles> y) {
  const Doubles d;
  const DoubleBits du;
  const auto round = hn::Set(d, 0x1.8p52);  // the lowest bits of its sum with y are the nearest integer
  const auto turned = hn::Add(y, round);
  const auto r = hn::Sub(y, hn::Sub(turned, round));
  auto sum = hn::Set(d, 1.5252733804059840e-5);
  for (const double term : {1.5403530393381609e-4, 1.3333558146428443e-3, 9.6181291076284772e-3, 5.5504108664821580e-2,
                            2.4022650695910072e-1, std::numbers::ln2, 1.0}) {
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, term));
  }
  return hn::BitCast(d, hn::Add(hn::BitCast(du, sum), hn::ShiftLeft<52>(hn::BitCast(du, turned))));
}

// |v|^exponent with the sign of v, for exponents of 0.01 to 100, to 2e-7 of itself: half a unit of float, and 7e-8
// where |exponent log2 v| nears 150. Zero, infinity and NaN stay.
HWY_INLINE hn::Vec<hn::Rebind<float, Doubles>> power_of(hn::Vec<hn::Rebind<float, Doubles>> v, double exponent) {
  const Doubles d;
  const hn::Rebind<float, Doubles> df;
  const auto size = hn::Abs(v);
  // Beyond what float holds, but not what double does.
  constexpr double most = 200;
  const auto y = hn::Mul(log2_of(hn::PromoteTo(d, size)), hn::Set(d, exponent));
  const auto within = hn::Max(hn::Min(y, hn::Set(d, most)), hn::Set(d, -most));
  const auto found = hn::DemoteTo(df, exp2_of(within));
  const auto usual = hn::And(hn::Gt(size, hn::Zero(df)), hn::Lt(size, hn::Set(df, INFINITY)));
  return hn::IfThenElse(usual, hn::CopySign(found, v), v);
}

inline void powers(double exponent, std::size_t count, const float* from, float* to) {
  const hn::Rebind<float, Doubles> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(power_of(hn::LoadU(d, from + i), exponent), d, to + i);
  if (i == count) return;
  HWY_ALIGN float last[HWY_MAX_BYTES / sizeof(double)] = {};
  std::copy(from + i, from + count, last);
  hn::Store(power_of(hn::Load(d, last), exponent), d, last);
  std::copy(last, last + (count - i), to + i);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
