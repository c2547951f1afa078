#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/geometry/resize_taps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/geometry/resize_taps_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls put(first number, old numbers from the base on, place of the weights) for the blocks of the row in order.
template <class T, class Put>
HWY_INLINE void each_block(const TapBlocks<T>& blocks, const T* from, const Put& put) {
  constexpr Index block = TapBlocks<T>::block;
  for (std::size_t b = 0; b < blocks.base.size(); ++b) {
    const auto at = static_cast<Index>(b) * block;
    put(std::min(at, blocks.length - block), from + blocks.base[b], at);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <class T, class Middle>
void stretch(const TapBlocks<T>& blocks, const T* from, Middle* to) {
  constexpr Index block = TapBlocks<T>::block;
  each_block(blocks, from, [&](Index first, const T* near, Index at) {
    for (Index i = 0; i < block; ++i) {
      const Index left = blocks.near[static_cast<std::size_t>((at + i) * TapBlocks<T>::lane_bytes)] / sizeof(T);
      typename kernels::ResizeNumbers<T>::Sum sum = 0;
      for (Index t = 0; t < blocks.count; ++t) {
        using Sum = typename kernels::ResizeNumbers<T>::Sum;
        sum += static_cast<Sum>(blocks.weights[static_cast<std::size_t>(at * blocks.count + t * block + i)]) *
               static_cast<Sum>(near[left + t * blocks.channels]);
      }
      to[first + i] = kernels::resize_middle<T>(sum);
    }
  });
}

#else

// One shuffle for each tap puts the numbers of a block into lanes of 32 bits.
template <class T, class Middle>
void stretch(const TapBlocks<T>& blocks, const T* from, Middle* to) {
  using Blocks = TapBlocks<T>;
  const hn::CappedTag<std::uint8_t, Blocks::lane_bytes * Blocks::block> bytes;
  const hn::Repartition<Middle, decltype(bytes)> d;
  const hn::Repartition<T, decltype(bytes)> numbers;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Index count = blocks.count;
  each_block(blocks, from, [&](Index first, const T* near, Index at) HWY_ATTR {
    for (Index i = 0; i < Blocks::block; i += lanes) {
      const auto table = hn::LoadU(bytes, blocks.near.data() + (at + i) * Blocks::lane_bytes);
      const Middle* weights = blocks.weights.data() + at * count + i;
      auto sum = hn::Zero(d);
      for (Index t = 0; t < count; ++t) {
        const auto window = hn::BitCast(bytes, hn::LoadDup128(numbers, near + t * blocks.channels));
        const auto number = hn::BitCast(d, hn::TableLookupBytesOr0(window, table));
        sum = hn::Add(sum, hn::Mul(number, hn::LoadU(d, weights + t * Blocks::block)));
      }
      if constexpr (!std::is_same_v<T, float>) {
        constexpr int shift = kernels::ResizeNumbers<T>::first_shift;
        sum = hn::ShiftRight<shift>(hn::Add(sum, hn::Set(d, 1 << (shift - 1))));
      }
      hn::StoreU(sum, d, to + first + i);
    }
  });
}

// Products and their sum are integers below 2^53. A sum times a power of two, rounded down, equals a shift of the sum.
void stretch(const TapBlocks<std::uint16_t>& blocks, const std::uint16_t* from, std::int32_t* to) {
  using Blocks = TapBlocks<std::uint16_t>;
  // Numbers of 32 bits for as many doubles, from one window of 16 bytes or from two of them.
  constexpr std::size_t window_bytes = HWY_MIN(32, HWY_MAX(16, HWY_MAX_BYTES / 2));
  const hn::CappedTag<double, Blocks::block> d;
  const hn::Rebind<std::int32_t, decltype(d)> d_int;
  const hn::Repartition<std::uint8_t, decltype(d_int)> bytes;
  const hn::FixedTag<std::uint8_t, window_bytes> window_tag;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Index count = blocks.count;
  const double unit = 1.0 / (1 << kernels::ResizeNumbers<std::uint16_t>::first_shift);
  each_block(blocks, from, [&](Index first, const std::uint16_t* near, Index at) HWY_ATTR {
    for (Index i = 0; i < Blocks::block; i += lanes) {
      const auto table = hn::LoadU(bytes, blocks.near.data() + (at + i) * Blocks::lane_bytes);
      const double* weights = blocks.weights.data() + at * count + i;
      auto sum = hn::Set(d, 1.0 / 2 / unit);
      for (Index t = 0; t < count; ++t) {
        const auto* here = reinterpret_cast<const std::uint8_t*>(near + t * blocks.channels);
        const auto number = hn::BitCast(d_int, hn::TableLookupBytesOr0(hn::LoadDup128(window_tag, here), table));
        sum = hn::Add(sum, hn::Mul(hn::PromoteTo(d, number), hn::LoadU(d, weights + t * Blocks::block)));
      }
      hn::StoreU(hn::DemoteTo(d_int, hn::Floor(hn::Mul(sum, hn::Set(d, unit)))), d_int, to + first + i);
    }
  });
}

#endif

// One number after the other, for the part of a row that vectors leave.
template <class T, class Middle>
HWY_INLINE void weigh_plainly(const Middle* weights, const Middle* const* rows, Index count, Index begin, Index end,
                              int weight_bits, T* to) {
  using Sum = typename kernels::ResizeNumbers<T>::Sum;
  for (Index i = begin; i < end; ++i) {
    Sum sum = 0;
    for (Index t = 0; t < count; ++t) sum += Sum{weights[t]} * rows[t][i];
    to[i] = kernels::resize_result<T>(sum, weight_bits);
  }
}

#if HWY_TARGET != HWY_SCALAR
template <class D, class T>
HWY_INLINE hn::Vec<D> load_sums(D d, const T* from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, T>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}
#endif

// Sums are made in D, beginning with `start`, from weights times `unit`; `level` converts them to numbers of pixels.
template <class D, class T, class Middle, class Level>
HWY_INLINE void weigh(D d, hn::TFromD<D> start, hn::TFromD<D> unit, const Middle* weights, const Middle* const* rows,
                      Index count, Index length, int weight_bits, bool stream, T* to, const Level& level) {
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(d);
  static_cast<void>(start);
  static_cast<void>(unit);
  static_cast<void>(stream);
  static_cast<void>(level);
  weigh_plainly(weights, rows, count, 0, length, weight_bits, to);
#else
  using Sum = hn::TFromD<D>;
  const hn::Rebind<T, D> d_out;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  constexpr std::uintptr_t line = 64;
  const auto apart = static_cast<Index>((line - address % line) % line / sizeof(T));
  const Index begin = stream ? std::min(apart, length) : 0;
  weigh_plainly(weights, rows, count, 0, begin, weight_bits, to);
  Index i = begin;
  const auto weight = [&](Index t) HWY_ATTR { return hn::Set(d, static_cast<Sum>(weights[t]) * unit); };
  const auto first = weight(0);
  const auto last = weight(count - 1);
  const auto sum_at = [&](Index at) HWY_ATTR {
    auto sum = hn::Add(hn::Set(d, start), hn::Mul(load_sums(d, rows[0] + at), first));
    for (Index t = 1; t + 1 < count; ++t) sum = hn::Add(sum, hn::Mul(load_sums(d, rows[t] + at), weight(t)));
    return count > 1 ? hn::Add(sum, hn::Mul(load_sums(d, rows[count - 1] + at), last)) : sum;
  };
  // Whole cache lines of results are stored together, some time after their parts were computed.
  constexpr Index together = 8 * line / sizeof(T);
  HWY_ALIGN T results[together];
  for (; i + together <= length; i += together) {
    for (Index k = 0; k < together; k += lanes) {
      hn::StoreU(level(d_out, sum_at(i + k)), d_out, (stream ? results : to + i) + k);
    }
    if (!stream) continue;
    const hn::CappedTag<T, line / sizeof(T)> whole;
    for (Index k = 0; k < together; k += static_cast<Index>(hn::Lanes(whole))) {
      hn::Stream(hn::Load(whole, results + k), whole, to + i + k);
    }
  }
  weigh_plainly(weights, rows, count, i, length, weight_bits, to);
#endif
}

void stretch_bytes(const TapBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int32_t* to) {
  stretch(blocks, from, to);
}
void stretch_words(const TapBlocks<std::uint16_t>& blocks, const std::uint16_t* from, std::int32_t* to) {
  stretch(blocks, from, to);
}
void stretch_floats(const TapBlocks<float>& blocks, const float* from, float* to) { stretch(blocks, from, to); }

void weigh_bytes(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                 int weight_bits, bool stream, std::uint8_t* to) {
  const hn::ScalableTag<std::int32_t> d;
  const int shift = 2 * weight_bits - kernels::ResizeNumbers<std::uint8_t>::first_shift;
  const std::int32_t half = (1 << (shift - 1)) + (1 << (weight_bits - 1));
  weigh(d, half, 1, weights, rows, count, length, weight_bits, stream, to,
        [&](auto d_out, auto sum) HWY_ATTR { return hn::DemoteTo(d_out, hn::ShiftRightSame(sum, shift)); });
}
void weigh_words(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                 int weight_bits, bool stream, std::uint16_t* to) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d_int;
  const int shift = 2 * weight_bits - kernels::ResizeNumbers<std::uint16_t>::first_shift;
  const auto half = static_cast<double>((std::int64_t{1} << (shift - 1)) + (1 << (weight_bits - 1)));
  const double unit = 1.0 / static_cast<double>(std::int64_t{1} << shift);
  // Products and sums are less than 2^53 multiples of the unit, so they are exact. They are truncated instead of
  // rounded down; sums below zero become zero either way.
  weigh(d, half * unit, unit, weights, rows, count, length, weight_bits, stream, to,
        [&](auto d_out, auto sum) HWY_ATTR { return hn::DemoteTo(d_out, hn::DemoteTo(d_int, sum)); });
}
void weigh_floats(const float* weights, const float* const* rows, Index count, Index length, int weight_bits,
                  bool stream, float* to) {
  weigh(hn::ScalableTag<float>(), 0.0F, 1.0F, weights, rows, count, length, weight_bits, stream, to,
        [&](auto /*d_out*/, auto sum) HWY_ATTR { return sum; });
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(stretch_bytes);
HWY_EXPORT(stretch_words);
HWY_EXPORT(stretch_floats);
HWY_EXPORT(weigh_bytes);
HWY_EXPORT(weigh_words);
HWY_EXPORT(weigh_floats);

void stretch_row(const TapBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(stretch_bytes)(blocks, from, to);
}
void stretch_row(const TapBlocks<std::uint16_t>& blocks, const std::uint16_t* from, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(stretch_words)(blocks, from, to);
}
void stretch_row(const TapBlocks<float>& blocks, const float* from, float* to) {
  HWY_DYNAMIC_DISPATCH(stretch_floats)(blocks, from, to);
}
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(weigh_bytes)(weights, rows, count, length, weight_bits, stream, to);
}
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(weigh_words)(weights, rows, count, length, weight_bits, stream, to);
}
void weigh_rows(const float* weights, const float* const* rows, Index count, Index length, int weight_bits, bool stream,
                float* to) {
  HWY_DYNAMIC_DISPATCH(weigh_floats)(weights, rows, count, length, weight_bits, stream, to);
}

}  // namespace whorl::backend::cpu
#endif
