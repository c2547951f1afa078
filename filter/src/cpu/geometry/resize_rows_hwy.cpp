#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/geometry/resize_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/geometry/resize_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void stretch_row_bytes(const RowBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int16_t* to) {
  constexpr Index block = RowBlocks<std::uint8_t>::block;
  for (std::size_t b = 0; b < blocks.base.size(); ++b) {
    const Index first = std::min(static_cast<Index>(b) * block, blocks.length - block);
    for (Index i = 0; i < block; ++i) {
      const std::size_t at = b * block + static_cast<std::size_t>(i);
      const std::uint8_t* near = from + blocks.base[b] + blocks.near[2 * at];
      const std::int32_t left = near[0];
      const std::int32_t step = near[blocks.channels] - left;
      to[first + i] = static_cast<std::int16_t>((left << 7) + ((step * blocks.weight[at] + 128) >> 8));
    }
  }
}

void stretch_row_floats(const RowBlocks<float>& blocks, const float* from, float* to) {
  constexpr Index block = RowBlocks<float>::block;
  for (std::size_t b = 0; b < blocks.base.size(); ++b) {
    const Index first = std::min(static_cast<Index>(b) * block, blocks.length - block);
    for (Index i = 0; i < block; ++i) {
      const std::size_t at = b * block + static_cast<std::size_t>(i);
      const float* near = from + blocks.base[b] + blocks.near[4 * at] / 4;
      to[first + i] = near[0] * (1 - blocks.weight[at]) + near[blocks.channels] * blocks.weight[at];
    }
  }
}

#else

// left 2^7 + (right - left) 2^7 weight, with the product rounded: a byte and seven bits.
void stretch_row_bytes(const RowBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int16_t* to) {
  using Numbers = RowBlocks<std::uint8_t>;
  const hn::CappedTag<std::uint8_t, 2 * Numbers::block> bytes;
  const hn::Repartition<std::int16_t, decltype(bytes)> words;
  constexpr int fraction = 7;
  const auto count = static_cast<Index>(blocks.base.size());
  const auto lanes = static_cast<Index>(hn::Lanes(words));
  const std::uint8_t* tables = blocks.near.data();
  const std::int16_t* weights = blocks.weight.data();
  for (Index b = 0; b < count; ++b) {
    const std::uint8_t* near = from + blocks.base[static_cast<std::size_t>(b)];
    const auto left_window = hn::LoadDup128(bytes, near);
    const auto right_window = hn::LoadDup128(bytes, near + blocks.channels);
    const Index first = std::min(b * Numbers::block, blocks.length - Numbers::block);
    for (Index i = 0; i < Numbers::block; i += lanes) {
      const auto table = hn::LoadU(bytes, tables + 2 * (b * Numbers::block + i));
      const auto left = hn::BitCast(words, hn::TableLookupBytesOr0(left_window, table));
      const auto right = hn::BitCast(words, hn::TableLookupBytesOr0(right_window, table));
      const auto step = hn::ShiftLeft<fraction>(hn::Sub(right, left));
      const auto part = hn::MulFixedPoint15(step, hn::LoadU(words, weights + b * Numbers::block + i));
      hn::StoreU(hn::Add(hn::ShiftLeft<fraction>(left), part), words, to + first + i);
    }
  }
}

void stretch_row_floats(const RowBlocks<float>& blocks, const float* from, float* to) {
  using Numbers = RowBlocks<float>;
  const hn::FixedTag<float, Numbers::block> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const auto count = static_cast<Index>(blocks.base.size());
  const auto one = hn::Set(d, 1.0F);
  for (Index b = 0; b < count; ++b) {
    const float* near = from + blocks.base[static_cast<std::size_t>(b)];
    const auto table = hn::LoadU(bytes, blocks.near.data() + 4 * b * Numbers::block);
    const auto pick = [&](const float* at) HWY_ATTR {
      return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, hn::LoadU(d, at)), table));
    };
    const auto weight = hn::LoadU(d, blocks.weight.data() + b * Numbers::block);
    const Index first = std::min(b * Numbers::block, blocks.length - Numbers::block);
    const auto left = hn::Mul(pick(near), hn::Sub(one, weight));
    hn::StoreU(hn::MulAdd(pick(near + blocks.channels), weight, left), d, to + first);
  }
}

#endif

// The count of numbers before the first vector that streaming stores may write: these need addresses aligned to
// vectors.
template <class T>
Index numbers_to_alignment(const T* to, std::size_t lanes) {
  const std::size_t bytes = lanes * sizeof(T);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(to) % bytes;
  return static_cast<Index>((bytes - over) % bytes / sizeof(T));
}

void blend_rows_bytes(const std::int16_t* a, const std::int16_t* b, std::int32_t weight, Index length, bool stream,
                      std::uint8_t* to) {
  constexpr int fraction = 7;
  const auto one_by_one = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::int32_t product = ((b[i] - a[i]) * weight + (1 << 14)) >> 15;
      to[i] = static_cast<std::uint8_t>((a[i] + product + (1 << (fraction - 1))) >> fraction);
    }
  };
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(stream);
  one_by_one(0, length);
#else
  const hn::ScalableTag<std::uint8_t> bytes;
  const hn::Half<decltype(bytes)> half_bytes;
  const hn::Rebind<std::int16_t, decltype(half_bytes)> words;
  const auto half = hn::Set(words, 1 << (fraction - 1));
  const auto part = hn::Set(words, static_cast<std::int16_t>(weight));
  const auto lanes = static_cast<Index>(hn::Lanes(words));
  const auto level = [&](Index i) HWY_ATTR {
    const auto first = hn::LoadU(words, a + i);
    const auto step = hn::Sub(hn::LoadU(words, b + i), first);
    const auto sum = hn::Add(hn::Add(first, half), hn::MulFixedPoint15(step, part));
    return hn::DemoteTo(half_bytes, hn::ShiftRight<fraction>(sum));
  };
  const Index begin = stream ? std::min(length, numbers_to_alignment(to, hn::Lanes(bytes))) : 0;
  one_by_one(0, begin);
  Index i = begin;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    const auto both = hn::Combine(bytes, level(i + lanes), level(i));
    if (stream) {
      hn::Stream(both, bytes, to + i);
    } else {
      hn::StoreU(both, bytes, to + i);
    }
  }
  one_by_one(i, length);
#endif
}

void blend_rows_floats(const float* a, const float* b, float weight, Index length, bool stream, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto to_second = hn::Set(d, weight);
  const auto to_first = hn::Set(d, 1 - weight);
  const auto one_by_one = [&](Index begin, Index end) {
    const hn::CappedTag<float, 1> one;
    for (Index i = begin; i < end; ++i) {
      const auto second = hn::Mul(hn::Set(one, b[i]), hn::Set(one, weight));
      hn::StoreU(hn::MulAdd(hn::Set(one, a[i]), hn::Set(one, 1 - weight), second), one, to + i);
    }
  };
  const Index begin = stream ? std::min(length, numbers_to_alignment(to, hn::Lanes(d))) : 0;
  one_by_one(0, begin);
  Index i = begin;
  for (; i + lanes <= length; i += lanes) {
    const auto blend = hn::MulAdd(hn::LoadU(d, b + i), to_second, hn::Mul(hn::LoadU(d, a + i), to_first));
    if (stream) {
      hn::Stream(blend, d, to + i);
    } else {
      hn::StoreU(blend, d, to + i);
    }
  }
  one_by_one(i, length);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(stretch_row_bytes);
HWY_EXPORT(stretch_row_floats);
HWY_EXPORT(blend_rows_bytes);
HWY_EXPORT(blend_rows_floats);

void stretch_row(const RowBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int16_t* to) {
  HWY_DYNAMIC_DISPATCH(stretch_row_bytes)(blocks, from, to);
}
void stretch_row(const RowBlocks<float>& blocks, const float* from, float* to) {
  HWY_DYNAMIC_DISPATCH(stretch_row_floats)(blocks, from, to);
}
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int32_t weight, Index length, bool stream,
                std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(blend_rows_bytes)(a, b, weight, length, stream, to);
}
void blend_rows(const float* a, const float* b, float weight, Index length, bool stream, float* to) {
  HWY_DYNAMIC_DISPATCH(blend_rows_floats)(a, b, weight, length, stream, to);
}

}  // namespace whorl::backend::cpu
#endif
