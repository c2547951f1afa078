#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/geometry/halve_rows.hpp"
#include "filter/src/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/geometry/halve_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The result of both passes of resizing for weights of one half: all products are exact.
template <class T>
HWY_INLINE T mean(T a, T b, T c, T d) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T half = T{1} / 2;
    return half * (half * a + half * c) + half * (half * b + half * d);
  } else {
    return static_cast<T>((a + b + c + d + 2) >> 2);
  }
}

// From number `begin` of the result on, which is the first number of a pixel.
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

#if HWY_TARGET != HWY_SCALAR

using Bytes = hn::CappedTag<std::uint8_t, HalfTables::most_bytes>;
using HalfOfBytes = hn::Half<Bytes>;
constexpr Index block_bytes = 16;

// Sums of two neighbors, as words or double words, from blocks in which they are adjacent.
HWY_INLINE hn::Vec<hn::Repartition<std::int16_t, Bytes>> sums_of_pairs(hn::Vec<Bytes> pairs, std::uint8_t /*number*/) {
  const hn::Repartition<std::uint16_t, Bytes> d;
  const auto both = hn::BitCast(d, pairs);
  const auto sum = hn::Add(hn::And(both, hn::Set(d, 0xff)), hn::ShiftRight<8>(both));
  return hn::BitCast(hn::Repartition<std::int16_t, Bytes>(), sum);
}
HWY_INLINE hn::Vec<hn::Repartition<std::int32_t, Bytes>> sums_of_pairs(hn::Vec<Bytes> pairs, std::uint16_t /*number*/) {
  const hn::Repartition<std::uint32_t, Bytes> d;
  const auto both = hn::BitCast(d, pairs);
  const auto sum = hn::Add(hn::And(both, hn::Set(d, 0xffff)), hn::ShiftRight<16>(both));
  return hn::BitCast(hn::Repartition<std::int32_t, Bytes>(), sum);
}

// Each block of 16 bytes makes as many new pixels as fit, at most 8 bytes of results. With three channels 12 bytes make
// 6 bytes: blocks of the image are spread before, and results are compacted after.
template <class T>
class Halves {
  using Wide = hn::Repartition<hwy::MakeSigned<hwy::MakeWide<T>>, Bytes>;
  using Words = hn::Repartition<std::uint32_t, Bytes>;
  using Places = hn::Repartition<std::int32_t, Bytes>;

 public:
  explicit Halves(const HalfTables& tables)
      : apart_(tables.channels == 3),
        results_(static_cast<Index>(hn::Lanes(Bytes())) / block_bytes * tables.results),
        pairs_(hn::LoadU(Bytes(), tables.pairs)),
        together_(hn::LoadU(HalfOfBytes(), tables.together)),
        spread_(hn::LoadU(Places(), tables.spread)) {
    const hn::Half<Places> half;
    const auto last = static_cast<std::int32_t>(hn::Lanes(half)) - 1;
    close_ = hn::Min(hn::LoadU(half, tables.close), hn::Set(half, last));
  }

  /// The count of new numbers that are made at a time. A vector of each row is read, and half a vector is written.
  Index results() const { return results_; }

  HWY_INLINE void make(const T* a, const T* b, T* to) const {
    const Wide wide;
    const auto sum = hn::Add(hn::Add(sums(a), sums(b)), hn::Set(wide, 2));
    const hn::Rebind<T, Wide> narrow;
    auto means = hn::BitCast(HalfOfBytes(), hn::DemoteTo(narrow, hn::ShiftRight<2>(sum)));
    if (apart_) {
      const hn::Half<Words> words;
      const auto close = hn::TableLookupBytes(means, together_);
      means = hn::BitCast(HalfOfBytes(),
                          hn::TableLookupLanes(hn::BitCast(words, close), hn::IndicesFromVec(words, close_)));
    }
    hn::StoreU(means, HalfOfBytes(), reinterpret_cast<std::uint8_t*>(to));
  }

 private:
  HWY_INLINE hn::Vec<Wide> sums(const T* from) const {
    auto bytes = hn::LoadU(Bytes(), reinterpret_cast<const std::uint8_t*>(from));
    if (apart_) {
      const Words words;
      bytes = hn::BitCast(Bytes(), hn::TableLookupLanes(hn::BitCast(words, bytes), hn::IndicesFromVec(words, spread_)));
    }
    return sums_of_pairs(hn::TableLookupBytes(bytes, pairs_), T{});
  }

  bool apart_;
  Index results_;
  hn::Vec<Bytes> pairs_;
  hn::Vec<HalfOfBytes> together_;
  hn::Vec<Places> spread_;
  hn::Vec<hn::Half<Places>> close_;
};

#endif

template <class T>
HWY_INLINE void halve_integers(const HalfTables& tables, const T* a, const T* b, Index width, T* to) {
  const Index channels = tables.channels;
  const Index length = width * channels;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Halves<T> halves(tables);
  const auto written = static_cast<Index>(hn::Lanes(Bytes()) / 2 / sizeof(T));
  const std::ptrdiff_t ahead = bytes_ahead(2 * (b - a) * static_cast<std::ptrdiff_t>(sizeof(T)));
  for (; i + written <= length; i += halves.results()) {
    prefetch_behind(a + 2 * i, ahead);
    prefetch_behind(b + 2 * i, ahead);
    halves.make(a + 2 * i, b + 2 * i, to + i);
  }
  // Once more for the last whole pixels before the end; this overlaps earlier results.
  const Index last = (length - written) / channels * channels;
  if (last >= 0 && i < length) {
    halves.make(a + 2 * last, b + 2 * last, to + last);
    i = std::max(i, last + halves.results());
  }
#endif
  halve_plainly(a, b, i, length, channels, to);
}

void halve_bytes(const HalfTables& tables, const std::uint8_t* a, const std::uint8_t* b, Index width,
                 std::uint8_t* to) {
  halve_integers(tables, a, b, width, to);
}
void halve_words(const HalfTables& tables, const std::uint16_t* a, const std::uint16_t* b, Index width,
                 std::uint16_t* to) {
  halve_integers(tables, a, b, width, to);
}

void halve_floats(const HalfTables& tables, const float* a, const float* b, Index width, float* to) {
  const Index channels = tables.channels;
  const Index length = width * channels;
  Index i = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::ptrdiff_t ahead = bytes_ahead(2 * (b - a) * static_cast<std::ptrdiff_t>(sizeof(float)));
  const auto halves = [&](auto d, auto first, auto second) HWY_ATTR {
    const auto half = hn::Set(d, 0.5F);
    return hn::MulAdd(half, first, hn::Mul(half, second));
  };
  if (channels == 1) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    const auto column = [&](Index at) HWY_ATTR { return halves(d, hn::LoadU(d, a + at), hn::LoadU(d, b + at)); };
    for (; i + lanes <= length; i += lanes) {
      WHORL_UNROLL for (Index k = 0; k < 2; ++k) {
        prefetch_behind(a + 2 * i + k * lanes, ahead);
        prefetch_behind(b + 2 * i + k * lanes, ahead);
      }
      const auto low = column(2 * i);
      const auto high = column(2 * i + lanes);
      hn::StoreU(halves(d, hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)), d, to + i);
    }
  } else {
    // One new pixel at a time. With fewer than four channels the excess is overwritten by the next pixel.
    const hn::FixedTag<float, 4> d;
    const auto column = [&](Index at) HWY_ATTR { return halves(d, hn::LoadU(d, a + at), hn::LoadU(d, b + at)); };
    for (; i + 4 <= length; i += channels) {
      prefetch_behind(a + 2 * i, ahead);
      prefetch_behind(b + 2 * i, ahead);
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

HalfTables::HalfTables(Index channels_of_pixels, Index bytes) : channels(channels_of_pixels) {
  constexpr Index block = 16;
  constexpr Index word = 4;
  const Index numbers = block / 2 / bytes;
  results = std::max<Index>(numbers / channels, 1) * channels;
  for (Index i = 0; i < most_bytes; ++i) {
    const Index k = std::min(i % block / 2 / bytes, results - 1);
    const Index left = k / channels * 2 * channels + k % channels;
    const Index place = (left + i / bytes % 2 * channels) * bytes + i % bytes;
    pairs[i] = static_cast<std::uint8_t>(std::min(place, block - 1));
  }
  const Index made = results * bytes;  // of 8 bytes
  for (Index i = 0; i < most_bytes / 2; ++i) {
    const Index at = i % block;
    together[i] = static_cast<std::uint8_t>(at < made ? at : std::min(at + block / 2 - made, block - 1));
  }
  const Index taken = 2 * made / word;  // of 4 words
  for (Index i = 0; i < most_bytes / word; ++i) {
    spread[i] = static_cast<std::int32_t>(i / word * taken + std::min(i % word, taken - 1));
  }
  for (Index i = 0; i < most_bytes / word / 2; ++i) close[i] = static_cast<std::int32_t>(i / taken * word + i % taken);
}

void halve_rows(const HalfTables& tables, const std::uint8_t* a, const std::uint8_t* b, Index width, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(halve_bytes)(tables, a, b, width, to);
}
void halve_rows(const HalfTables& tables, const std::uint16_t* a, const std::uint16_t* b, Index width,
                std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(halve_words)(tables, a, b, width, to);
}
void halve_rows(const HalfTables& tables, const float* a, const float* b, Index width, float* to) {
  HWY_DYNAMIC_DISPATCH(halve_floats)(tables, a, b, width, to);
}

}  // namespace whorl::backend::cpu
#endif
