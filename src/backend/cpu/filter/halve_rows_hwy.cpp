#include "backend/cpu/filter/halve_rows.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/filter/halve_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What both passes of resizing make of weights of one half: all products are exact.
template <class T>
HWY_INLINE T mean(T a, T b, T c, T d) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T half = T{1} / 2;
    return half * (half * a + half * c) + half * (half * b + half * d);
  } else {
    return static_cast<T>((a + b + c + d + 2) >> 2);
  }
}

// From number `begin` of the result on, with which a pixel begins.
template <class T>
HWY_INLINE void halve_plainly(const T* a, const T* b, Index begin, Index length, Index channels, T* to) {
  for (Index pixel = begin; pixel < length; pixel += channels) {
    for (Index c = 0; c < channels; ++c) {
      const Index left = 2 * pixel + c;
      const Index right = left + channels;
      to[pixel + c] = mean(a[left], a[right], b[left], b[right]);
    }
  }
}

void halve_bytes(const std::uint8_t* a, const std::uint8_t* b, Index width, Index channels, std::uint8_t* to) {
  const Index length = width * channels;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr Index lanes = 16;
  const hn::FixedTag<std::uint8_t, lanes> bytes;
  const hn::Repartition<std::int16_t, decltype(bytes)> words;
  const hn::Rebind<std::uint8_t, decltype(words)> result;
  // Words of two neighbors. Vectors of three channels hold two new pixels; what comes after them is written over.
  const Index step = lanes / 2 / channels * channels;
  alignas(lanes) std::uint8_t pairs[lanes] = {};
  for (Index k = 0; k < step; ++k) {
    const Index left = k / channels * 2 * channels + k % channels;
    pairs[2 * k] = static_cast<std::uint8_t>(left);
    pairs[2 * k + 1] = static_cast<std::uint8_t>(left + channels);
  }
  const auto table = hn::Load(bytes, pairs);
  const auto sums = [&](const std::uint8_t* from) HWY_ATTR {
    const auto both = hn::BitCast(words, hn::TableLookupBytes(hn::LoadU(bytes, from), table));
    const auto right =
        hn::BitCast(words, hn::ShiftRight<8>(hn::BitCast(hn::RebindToUnsigned<decltype(words)>(), both)));
    return hn::Add(hn::And(both, hn::Set(words, 0xff)), right);
  };
  for (; i + lanes / 2 <= length; i += step) {
    const auto sum = hn::Add(hn::Add(sums(a + 2 * i), sums(b + 2 * i)), hn::Set(words, 2));
    hn::StoreU(hn::DemoteTo(result, hn::ShiftRight<2>(sum)), result, to + i);
  }
#endif
  halve_plainly(a, b, i, length, channels, to);
}

void halve_words(const std::uint16_t* a, const std::uint16_t* b, Index width, Index channels, std::uint16_t* to) {
  const Index length = width * channels;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  // Pairs of neighbors, each in 32 bits, of both rows.
  const auto means = [](auto d, auto upper, auto lower) HWY_ATTR {
    const auto low = hn::Set(d, 0xffff);
    const auto left = hn::Add(hn::And(upper, low), hn::And(lower, low));
    const auto right = hn::Add(hn::ShiftRight<16>(upper), hn::ShiftRight<16>(lower));
    const hn::RebindToSigned<decltype(d)> whole;
    const hn::Rebind<std::uint16_t, decltype(d)> result;
    const auto sum = hn::Add(hn::Add(left, right), hn::Set(d, 2));
    return hn::DemoteTo(result, hn::BitCast(whole, hn::ShiftRight<2>(sum)));
  };
  if (channels == 1) {
    const hn::ScalableTag<std::uint16_t> words;
    const hn::Repartition<std::uint32_t, decltype(words)> pairs;
    const hn::Rebind<std::uint16_t, decltype(pairs)> result;
    const auto lanes = static_cast<Index>(hn::Lanes(pairs));
    const auto load = [&](const std::uint16_t* from) HWY_ATTR { return hn::BitCast(pairs, hn::LoadU(words, from)); };
    for (; i + lanes <= length; i += lanes) {
      hn::StoreU(means(pairs, load(a + 2 * i), load(b + 2 * i)), result, to + i);
    }
  } else {
    // Vectors of three channels hold one new pixel; what comes after it is written over.
    constexpr Index lanes = 4;
    const hn::FixedTag<std::uint32_t, lanes> pairs;
    const hn::Repartition<std::uint8_t, decltype(pairs)> bytes;
    const hn::Repartition<std::uint16_t, decltype(pairs)> words;
    const hn::Rebind<std::uint16_t, decltype(pairs)> result;
    const Index step = lanes / channels * channels;
    alignas(16) std::uint8_t places[4 * lanes] = {};
    for (Index k = 0; k < step; ++k) {
      const Index left = k / channels * 2 * channels + k % channels;
      for (Index half = 0; half < 2; ++half) {
        const Index word = left + half * channels;
        places[4 * k + 2 * half] = static_cast<std::uint8_t>(2 * word);
        places[4 * k + 2 * half + 1] = static_cast<std::uint8_t>(2 * word + 1);
      }
    }
    const auto table = hn::Load(bytes, places);
    const auto load = [&](const std::uint16_t* from) HWY_ATTR {
      return hn::BitCast(pairs, hn::TableLookupBytes(hn::BitCast(bytes, hn::LoadU(words, from)), table));
    };
    for (; i + lanes <= length; i += step) {
      hn::StoreU(means(pairs, load(a + 2 * i), load(b + 2 * i)), result, to + i);
    }
  }
#endif
  halve_plainly(a, b, i, length, channels, to);
}

void halve_floats(const float* a, const float* b, Index width, Index channels, float* to) {
  const Index length = width * channels;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto halves = [&](auto d, auto first, auto second) HWY_ATTR {
    const auto half = hn::Set(d, 0.5F);
    return hn::MulAdd(half, first, hn::Mul(half, second));
  };
  if (channels == 1) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    const auto column = [&](Index at) HWY_ATTR { return halves(d, hn::LoadU(d, a + at), hn::LoadU(d, b + at)); };
    for (; i + lanes <= length; i += lanes) {
      const auto low = column(2 * i);
      const auto high = column(2 * i + lanes);
      hn::StoreU(halves(d, hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)), d, to + i);
    }
  } else {
    // One new pixel at a time; what comes after fewer than four channels is written over.
    const hn::FixedTag<float, 4> d;
    const auto column = [&](Index at) HWY_ATTR { return halves(d, hn::LoadU(d, a + at), hn::LoadU(d, b + at)); };
    for (; i + 4 <= length; i += channels) {
      hn::StoreU(halves(d, column(2 * i), column(2 * i + channels)), d, to + i);
    }
  }
#endif
  halve_plainly(a, b, i, length, channels, to);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(halve_bytes);
HWY_EXPORT(halve_words);
HWY_EXPORT(halve_floats);

void halve_rows(const std::uint8_t* a, const std::uint8_t* b, Index width, Index channels, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(halve_bytes)(a, b, width, channels, to);
}
void halve_rows(const std::uint16_t* a, const std::uint16_t* b, Index width, Index channels, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(halve_words)(a, b, width, channels, to);
}
void halve_rows(const float* a, const float* b, Index width, Index channels, float* to) {
  HWY_DYNAMIC_DISPATCH(halve_floats)(a, b, width, channels, to);
}

}  // namespace whorl::backend::cpu
#endif
