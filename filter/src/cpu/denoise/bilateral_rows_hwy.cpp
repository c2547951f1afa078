// Without fused operations (CMakeLists.txt): the same bits with every instruction set.
#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/denoise/bilateral_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/denoise/bilateral_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, bilateral_room>;
using Vector = hn::Vec<Tag>;

// As kernels::power_of_half.
HWY_INLINE Vector power_of_half(Vector x) {
  const Tag d;
  const hn::RebindToUnsigned<Tag> bits;
  const Vector to_whole = hn::Set(d, 12582912.0F);
  const Vector most = hn::Set(d, 125.0F);
  const Vector power = hn::IfThenElse(hn::Lt(x, most), x, most);
  const Vector whole = hn::Add(power, to_whole);
  const Vector r = hn::Sub(hn::Sub(whole, to_whole), power);
  Vector sum = hn::Set(d, 9.58287539e-3F);
  sum = hn::MulAdd(sum, r, hn::Set(d, 5.59064825e-2F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 2.40240986e-1F));
  // NOLINTNEXTLINE(modernize-use-std-numbers): a coefficient of the fit, not ln 2
  sum = hn::MulAdd(sum, r, hn::Set(d, 6.93124187e-1F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F));
  return hn::BitCast(d, hn::Sub(hn::BitCast(bits, sum), hn::ShiftLeft<23>(hn::BitCast(bits, whole))));
}

template <int Colors, int Channels>
void average_row(const BilateralRow& row, float* HWY_RESTRICT to, Index to_plane) {
  const Tag d;
  const Vector value = hn::Set(d, row.plan->value);
  for (Index x = 0; x < row.width; x += static_cast<Index>(hn::Lanes(d))) {
    const float* here = row.middle + x;
    Vector middle[Channels];
    Vector sums[Channels];
    Vector weights = hn::Zero(d);
    WHORL_UNROLL
    for (int c = 0; c < Channels; ++c) {
      middle[c] = hn::LoadU(d, here + c * row.plane);
      sums[c] = hn::Zero(d);
    }
    for (const BilateralTap* tap = row.taps; tap < row.taps + row.tap_count; ++tap) {
      const float* there = here + tap->offset;
      Vector differences[Channels];
      WHORL_UNROLL
      for (int c = 0; c < Channels; ++c) differences[c] = hn::Sub(hn::LoadU(d, there + c * row.plane), middle[c]);
      Vector distance = hn::Abs(differences[0]);
      WHORL_UNROLL
      for (int c = 1; c < Colors; ++c) distance = hn::Add(distance, hn::Abs(differences[c]));
      const Vector scaled = hn::Mul(distance, value);
      const Vector weight = power_of_half(hn::MulAdd(scaled, scaled, hn::Set(d, tap->exponent)));
      weights = hn::Add(weights, weight);
      WHORL_UNROLL
      for (int c = 0; c < Channels; ++c) sums[c] = hn::MulAdd(weight, differences[c], sums[c]);
    }
    WHORL_UNROLL
    for (int c = 0; c < Channels; ++c) {
      hn::StoreU(hn::Add(middle[c], hn::Div(sums[c], weights)), d, to + c * to_plane + x);
    }
  }
}

void average_channels(const BilateralRow& row, int colors, int channels, float* to, Index to_plane) {
  if (colors == 1) {
    (channels == 1 ? average_row<1, 1> : average_row<1, 2>)(row, to, to_plane);
  } else {
    (channels == 3 ? average_row<3, 3> : average_row<3, 4>)(row, to, to_plane);
  }
}

template <class T>
HWY_INLINE Vector to_float(hn::Vec<hn::Rebind<T, Tag>> numbers) {
  if constexpr (hwy::IsSame<T, float>()) {
    return numbers;
  } else {
    return hn::ConvertTo(Tag(), hn::PromoteTo(hn::RebindToSigned<Tag>(), numbers));
  }
}

// Rounds to the nearest, halves up; no number is below -1/2.
template <class T>
HWY_INLINE hn::Vec<hn::Rebind<T, Tag>> from_float(Vector numbers) {
  if constexpr (hwy::IsSame<T, float>()) {
    return numbers;
  } else {
    const auto whole = hn::ConvertTo(hn::RebindToSigned<Tag>(), hn::Add(numbers, hn::Set(Tag(), 0.5F)));
    return hn::DemoteTo(hn::Rebind<T, Tag>(), whole);
  }
}

template <class T, int Channels>
void split(const T* HWY_RESTRICT from, Index count, float* HWY_RESTRICT to, Index plane) {
  const Tag d;
  const hn::Rebind<T, Tag> numbers;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<decltype(numbers)> parts[4];
  Index x = 0;
  for (; x + lanes <= count; x += lanes) {
    const T* at = from + x * Channels;
    if constexpr (Channels == 1) parts[0] = hn::LoadU(numbers, at);
    if constexpr (Channels == 2) hn::LoadInterleaved2(numbers, at, parts[0], parts[1]);
    if constexpr (Channels == 3) hn::LoadInterleaved3(numbers, at, parts[0], parts[1], parts[2]);
    if constexpr (Channels == 4) hn::LoadInterleaved4(numbers, at, parts[0], parts[1], parts[2], parts[3]);
    WHORL_UNROLL
    for (int c = 0; c < Channels; ++c) hn::StoreU(to_float<T>(parts[c]), d, to + c * plane + x);
  }
  for (; x < count; ++x) {
    for (int c = 0; c < Channels; ++c) to[c * plane + x] = static_cast<float>(from[x * Channels + c]);
  }
}

template <class T, int Channels>
void join(const float* HWY_RESTRICT from, Index plane, Index count, T* HWY_RESTRICT to) {
  const Tag d;
  const hn::Rebind<T, Tag> numbers;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  T last[bilateral_room * Channels];
  hn::Vec<decltype(numbers)> parts[4];
  for (Index x = 0; x < count; x += lanes) {
    T* at = x + lanes <= count ? to + x * Channels : last;
    WHORL_UNROLL
    for (int c = 0; c < Channels; ++c) parts[c] = from_float<T>(hn::LoadU(d, from + c * plane + x));
    if constexpr (Channels == 1) hn::StoreU(parts[0], numbers, at);
    if constexpr (Channels == 2) hn::StoreInterleaved2(parts[0], parts[1], numbers, at);
    if constexpr (Channels == 3) hn::StoreInterleaved3(parts[0], parts[1], parts[2], numbers, at);
    if constexpr (Channels == 4) hn::StoreInterleaved4(parts[0], parts[1], parts[2], parts[3], numbers, at);
    if (at != last) continue;
    for (Index i = x * Channels; i < count * Channels; ++i) to[i] = last[i - x * Channels];
  }
}

template <class T>
void split_channels(const T* from, Index count, int channels, float* to, Index plane) {
  if (channels == 1) return split<T, 1>(from, count, to, plane);
  if (channels == 2) return split<T, 2>(from, count, to, plane);
  if (channels == 3) return split<T, 3>(from, count, to, plane);
  return split<T, 4>(from, count, to, plane);
}

template <class T>
void join_channels(const float* from, Index plane, Index count, int channels, T* to) {
  if (channels == 1) return join<T, 1>(from, plane, count, to);
  if (channels == 2) return join<T, 2>(from, plane, count, to);
  if (channels == 3) return join<T, 3>(from, plane, count, to);
  return join<T, 4>(from, plane, count, to);
}

void split_bytes(const std::uint8_t* from, Index count, int channels, float* to, Index plane) {
  split_channels(from, count, channels, to, plane);
}
void split_words(const std::uint16_t* from, Index count, int channels, float* to, Index plane) {
  split_channels(from, count, channels, to, plane);
}
void split_floats(const float* from, Index count, int channels, float* to, Index plane) {
  split_channels(from, count, channels, to, plane);
}
void join_bytes(const float* from, Index plane, Index count, int channels, std::uint8_t* to) {
  join_channels(from, plane, count, channels, to);
}
void join_words(const float* from, Index plane, Index count, int channels, std::uint16_t* to) {
  join_channels(from, plane, count, channels, to);
}
void join_floats(const float* from, Index plane, Index count, int channels, float* to) {
  join_channels(from, plane, count, channels, to);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(average_channels);
HWY_EXPORT(join_bytes);
HWY_EXPORT(join_floats);
HWY_EXPORT(join_words);
HWY_EXPORT(split_bytes);
HWY_EXPORT(split_floats);
HWY_EXPORT(split_words);

void bilateral_row(const BilateralRow& row, int colors, int channels, float* to, Index to_plane) {
  HWY_DYNAMIC_DISPATCH(average_channels)(row, colors, channels, to, to_plane);
}

template <>
void split_row(const std::uint8_t* from, Index count, int channels, float* to, Index plane) {
  HWY_DYNAMIC_DISPATCH(split_bytes)(from, count, channels, to, plane);
}
template <>
void split_row(const std::uint16_t* from, Index count, int channels, float* to, Index plane) {
  HWY_DYNAMIC_DISPATCH(split_words)(from, count, channels, to, plane);
}
template <>
void split_row(const float* from, Index count, int channels, float* to, Index plane) {
  HWY_DYNAMIC_DISPATCH(split_floats)(from, count, channels, to, plane);
}
template <>
void join_row(const float* from, Index plane, Index count, int channels, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(join_bytes)(from, plane, count, channels, to);
}
template <>
void join_row(const float* from, Index plane, Index count, int channels, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(join_words)(from, plane, count, channels, to);
}
template <>
void join_row(const float* from, Index plane, Index count, int channels, float* to) {
  HWY_DYNAMIC_DISPATCH(join_floats)(from, plane, count, channels, to);
}

}  // namespace whorl::backend::cpu
#endif
