#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/points/clahe_row.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/points/clahe_row_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void mix(const ClaheLevels<T>* levels, const float* weight, const float* rest, float lower, Index count,
                    T* to) {
  // Floats from 2^23 on have no fraction, so adding 2^23 to 0 <= v < 2^23 rounds v.
  constexpr float two_to_23 = 8388608.0F;
  const float upper = 1 - lower;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> d_int;
  const hn::Rebind<T, decltype(d)> d_level;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto whole = hn::Set(d, two_to_23);
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> number[4];
    if constexpr (sizeof(T) == 1) {
      const auto together = hn::LoadU(d_int, reinterpret_cast<const std::int32_t*>(levels + i));
      const auto byte = [&](auto shifted) HWY_ATTR { return hn::ConvertTo(d, hn::And(shifted, hn::Set(d_int, 0xff))); };
      number[0] = byte(together);
      number[1] = byte(hn::ShiftRight<8>(together));
      number[2] = byte(hn::ShiftRight<16>(together));
      number[3] = byte(hn::ShiftRight<24>(together));
    } else {
      hn::Vec<decltype(d_level)> corners[4];
      hn::LoadInterleaved4(d_level, reinterpret_cast<const T*>(levels + i), corners[0], corners[1], corners[2],
                           corners[3]);
      for (int k = 0; k < 4; ++k) number[k] = hn::ConvertTo(d, hn::PromoteTo(d_int, corners[k]));
    }
    const auto right = hn::LoadU(d, weight + i);
    const auto left = hn::LoadU(d, rest + i);
    const auto above = hn::Add(hn::Mul(number[0], left), hn::Mul(number[1], right));
    const auto below = hn::Add(hn::Mul(number[2], left), hn::Mul(number[3], right));
    const auto sum = hn::Add(hn::Mul(above, hn::Set(d, upper)), hn::Mul(below, hn::Set(d, lower)));
    const auto level = hn::ConvertTo(d_int, hn::Sub(hn::Add(sum, whole), whole));
    hn::StoreU(hn::DemoteTo(d_level, level), d_level, to + i);
  }
#endif
  for (; i < count; ++i) {
    const auto& at = levels[i];
    const float above = static_cast<float>(at.upper_left) * rest[i] + static_cast<float>(at.upper_right) * weight[i];
    const float below = static_cast<float>(at.lower_left) * rest[i] + static_cast<float>(at.lower_right) * weight[i];
    const float sum = above * upper + below * lower;
    to[i] = static_cast<T>((sum + two_to_23) - two_to_23);
  }
}

void mix_bytes(const ClaheLevels<std::uint8_t>* levels, const float* weight, const float* rest, float lower,
               Index count, std::uint8_t* to) {
  mix(levels, weight, rest, lower, count, to);
}
void mix_words(const ClaheLevels<std::uint16_t>* levels, const float* weight, const float* rest, float lower,
               Index count, std::uint16_t* to) {
  mix(levels, weight, rest, lower, count, to);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(mix_bytes);
HWY_EXPORT(mix_words);

void mix_levels(const ClaheLevels<std::uint8_t>* levels, const float* weight, const float* rest, float lower,
                Index count, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(mix_bytes)(levels, weight, rest, lower, count, to);
}
void mix_levels(const ClaheLevels<std::uint16_t>* levels, const float* weight, const float* rest, float lower,
                Index count, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(mix_words)(levels, weight, rest, lower, count, to);
}

}  // namespace whorl::backend::cpu
#endif
