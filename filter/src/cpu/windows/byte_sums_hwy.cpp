#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/windows/byte_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/byte_sums_hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// The definition, for numbers that do not fill a vector and for processors without special code here.
void sum_plainly(const std::vector<BytePair>& pairs, const ByteFinish& finish, const std::uint8_t* const* places,
                 Index count, std::uint8_t* to) {
  for (Index i = 0; i < count; ++i) {
    std::int32_t sum = 0;
    for (const BytePair& pair : pairs) {
      sum += pair.first_weight * places[pair.first][i] + pair.second_weight * places[pair.second][i];
    }
    to[i] = finished_byte(sum, finish);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Words = hn::RepartitionToWide<Bytes>;
using Sums = hn::RebindToSigned<Words>;
using Sum = hn::Vec<Sums>;

// Products of unsigned with signed bytes, of which two adjacent ones are added; and words packed to bytes with
// clipping. Highway has no functions for these.
HWY_INLINE Sum products(hn::Vec<Bytes> bytes, hn::Vec<Bytes> weights) {
#if HWY_TARGET <= HWY_AVX3
  return Sum{_mm512_maddubs_epi16(bytes.raw, weights.raw)};
#else
  return Sum{_mm256_maddubs_epi16(bytes.raw, weights.raw)};
#endif
}
HWY_INLINE hn::Vec<Bytes> packed(Sum lower, Sum upper) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Vec<Bytes>{_mm512_packus_epi16(lower.raw, upper.raw)};
#else
  return hn::Vec<Bytes>{_mm256_packus_epi16(lower.raw, upper.raw)};
#endif
}

HWY_INLINE hn::Vec<Bytes> weights_of(const BytePair& pair) {
  constexpr std::int32_t second = 256;
  constexpr std::int32_t byte = 255;
  const std::int32_t both = (pair.first_weight & byte) + (pair.second_weight & byte) * second;
  return hn::BitCast(Bytes(), hn::Set(Words(), static_cast<std::uint16_t>(both)));
}

HWY_INLINE Sum finished(Sum sum, const ByteFinish& finish) {
  if (finish.absolute) sum = hn::Abs(sum);
  sum = hn::Add(sum, hn::Set(Sums(), static_cast<std::int16_t>(finish.start)));
  if (finish.factor == 0) return sum;
  const auto above = hn::BitCast(Words(), hn::Max(sum, hn::Zero(Sums())));
  return hn::BitCast(Sums(), hn::MulHigh(above, hn::Set(Words(), static_cast<std::uint16_t>(finish.factor))));
}

constexpr Index vectors = 4;

void sum_bytes(const std::vector<BytePair>& pairs, const ByteFinish& finish, const std::uint8_t* const* places,
               Index count, bool stream, std::uint8_t* to) {
  const Bytes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  // Interleaving moves numbers to halves of their blocks; packing restores their order.
  const auto visit = [&](Index i, bool past) {
    Sum lower[vectors];
    Sum upper[vectors];
    WHORL_UNROLL for (Index v = 0; v < vectors; ++v) lower[v] = upper[v] = hn::Zero(Sums());
    for (const BytePair& pair : pairs) {
      const std::uint8_t* first = places[pair.first] + i;
      const std::uint8_t* second = places[pair.second] + i;
      const auto weights = weights_of(pair);
      WHORL_UNROLL for (Index v = 0; v < vectors; ++v) {
        const auto a = hn::LoadU(d, first + v * lanes);
        const auto b = hn::LoadU(d, second + v * lanes);
        lower[v] = hn::Add(lower[v], products(hn::InterleaveLower(d, a, b), weights));
        upper[v] = hn::Add(upper[v], products(hn::InterleaveUpper(d, a, b), weights));
      }
    }
    WHORL_UNROLL for (Index v = 0; v < vectors; ++v) {
      const auto bytes = packed(finished(lower[v], finish), finished(upper[v], finish));
      if (past) {
        hn::Stream(bytes, d, to + i + v * lanes);
      } else {
        hn::StoreU(bytes, d, to + i + v * lanes);
      }
    }
  };
  // Visits at the ends overlap others. Stores that bypass the caches need aligned addresses.
  const Index step = vectors * lanes;
  if (count < step) {
    sum_plainly(pairs, finish, places, count, to);
    return;
  }
  Index i = 0;
  if (stream) {
    const auto beyond = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % static_cast<std::uintptr_t>(lanes));
    if (beyond != 0) {
      visit(0, false);
      i = lanes - beyond;
    }
    for (; i + step <= count; i += step) visit(i, true);
    hwy::FlushStream();
  } else {
    for (; i + step <= count; i += step) visit(i, false);
  }
  if (i != count) visit(count - step, false);
}

#else

void sum_bytes(const std::vector<BytePair>& pairs, const ByteFinish& finish, const std::uint8_t* const* places,
               Index count, bool /*stream*/, std::uint8_t* to) {
  sum_plainly(pairs, finish, places, count, to);
}

#endif

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(sum_bytes);

void byte_sums(const std::vector<BytePair>& pairs, const ByteFinish& finish, const std::uint8_t* const* places,
               Index count, bool stream, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(sum_bytes)(pairs, finish, places, count, stream, to);
}

std::uint8_t finished_byte(std::int32_t sum, const ByteFinish& finish) {
  constexpr int half = 16;
  constexpr std::int32_t largest = 255;
  const std::int32_t shifted = (finish.absolute ? std::abs(sum) : sum) + finish.start;
  const std::int32_t above = std::max(shifted, 0);
  return static_cast<std::uint8_t>(std::min(finish.factor == 0 ? above : (above * finish.factor) >> half, largest));
}

}  // namespace whorl::backend::cpu
#endif
