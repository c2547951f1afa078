#include "backend/cpu/filter/warp_row.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/filter/warp_row_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

Index warp_bytes(const kernels::WarpJob<std::uint8_t>&, const std::uint8_t*, Index, Index, Index, std::uint8_t*) {
  return 0;
}
Index warp_floats(const kernels::WarpJob<float>&, const float*, Index, Index, Index, float*) { return 0; }

#else

constexpr std::size_t most_lanes = 16;
using Numbers = hn::CappedTag<std::int32_t, most_lanes>;
using Bits = hn::RebindToUnsigned<Numbers>;
using Floats = hn::RebindToFloat<Numbers>;

// Positions of neighboring pixels along one axis: whole numbers, and 2^-32 of them.
class Positions {
 public:
  HWY_INLINE explicit Positions(kernels::Fixed along) {
    alignas(4 * most_lanes) std::int32_t whole[most_lanes];
    alignas(4 * most_lanes) std::uint32_t rest[most_lanes];
    for (std::size_t i = 0; i < most_lanes; ++i) {
      const kernels::Fixed step = static_cast<kernels::Fixed>(i) * along;
      whole[i] = static_cast<std::int32_t>(step >> kernels::fixed_bits);
      rest[i] = static_cast<std::uint32_t>(step);
    }
    whole_steps_ = hn::Load(Numbers(), whole);
    rest_steps_ = hn::Load(Bits(), rest);
  }

  HWY_INLINE void start(kernels::Fixed at) {
    rest = hn::Add(rest_steps_, hn::Set(Bits(), static_cast<std::uint32_t>(at)));
    // What is carried over is -1 where the sum has come round.
    const auto carried = hn::BitCast(Numbers(), hn::VecFromMask(Bits(), hn::Lt(rest, rest_steps_)));
    const auto first = hn::Set(Numbers(), static_cast<std::int32_t>(at >> kernels::fixed_bits));
    whole = hn::Sub(hn::Add(whole_steps_, first), carried);
  }

  hn::Vec<Numbers> whole;
  hn::Vec<Bits> rest;

 private:
  hn::Vec<Numbers> whole_steps_;
  hn::Vec<Bits> rest_steps_;
};

// Calls make(positions down, positions along, where the results go) for whole vectors.
template <class T, class Make>
HWY_INLINE Index for_vectors(const kernels::WarpJob<T>& job, Index y, Index x, Index count, T* to, const Make& make) {
  Positions down(job.along_y);
  Positions across(job.along_x);
  const auto lanes = static_cast<Index>(hn::Lanes(Numbers()));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    down.start(job.start_y + y * job.down_y + (x + i) * job.along_y);
    across.start(job.start_x + y * job.down_x + (x + i) * job.along_x);
    const auto row = hn::Sub(down.whole, hn::Set(Numbers(), static_cast<std::int32_t>(job.first_row)));
    const auto pixel = hn::Add(hn::Mul(row, hn::Set(Numbers(), static_cast<std::int32_t>(job.width))), across.whole);
    make(hn::Mul(pixel, hn::Set(Numbers(), job.channels)), down.rest, across.rest, to + i * job.channels);
  }
  return i;
}

template <class D, class V, class T>
HWY_INLINE void store_pixels(D d, const V* channels, int count, T* to) {
  if (count == 1) hn::StoreU(channels[0], d, to);
  if (count == 2) hn::StoreInterleaved2(channels[0], channels[1], d, to);
  if (count == 3) hn::StoreInterleaved3(channels[0], channels[1], channels[2], d, to);
  if (count == 4) hn::StoreInterleaved4(channels[0], channels[1], channels[2], channels[3], d, to);
}

template <int which>
HWY_INLINE hn::Vec<Numbers> byte_of(hn::Vec<Numbers> word) {
  if constexpr (which > 0) word = hn::ShiftRight<8 * which>(word);
  return hn::And(word, hn::Set(Numbers(), 0xff));
}

template <int channels>
HWY_INLINE Index warp_bytes_of(const kernels::WarpJob<std::uint8_t>& job, const std::uint8_t* slice, Index y, Index x,
                               Index count, std::uint8_t* to) {
  constexpr int bits = kernels::warp_weight_bits;
  const Numbers d;
  const hn::Rebind<std::uint8_t, Numbers> bytes;
  const auto weight = [](hn::Vec<Bits> rest)
                          HWY_ATTR { return hn::BitCast(Numbers(), hn::ShiftRight<kernels::fixed_bits - bits>(rest)); };
  // The bytes of a pixel and of that to its right are in two words, of three channels in words two bytes apart.
  constexpr int apart = channels == 1 ? 0 : channels == 3 ? 2 : channels;
  constexpr int right_byte = channels == 1 || channels == 3 ? 1 : 0;
  const auto* words = reinterpret_cast<const std::int32_t*>(slice);
  const auto old_row = hn::Set(d, static_cast<std::int32_t>(job.width * channels));
  const auto half = hn::Set(d, 1 << 22);
  const auto below = hn::Set(d, 0x7f);
  return for_vectors(job, y, x, count, to, [&](auto at, auto down, auto across, std::uint8_t* target) HWY_ATTR {
    const auto second = weight(across);
    const auto lower = weight(down);
    const auto under = hn::Add(at, old_row);
    const auto distance = hn::Set(d, apart);
    const auto top_left = hn::GatherOffset(d, words, at);
    const auto bottom_left = hn::GatherOffset(d, words, under);
    auto top_right = top_left;
    auto bottom_right = bottom_left;
    if constexpr (apart > 0) {
      top_right = hn::GatherOffset(d, words, hn::Add(at, distance));
      bottom_right = hn::GatherOffset(d, words, hn::Add(under, distance));
    }
    hn::Vec<decltype(bytes)> levels[channels];
    const auto channel = [&](auto which) HWY_ATTR {
      constexpr int c = decltype(which)::value;
      const auto left_part = [&](auto word) HWY_ATTR { return byte_of<c>(word); };
      const auto right_part = [&](auto word) HWY_ATTR { return byte_of<c + right_byte>(word); };
      const auto between = [&](auto left, auto right) HWY_ATTR {
        return hn::Add(hn::ShiftLeft<bits>(left), hn::Mul(second, hn::Sub(right, left)));
      };
      const auto top = between(left_part(top_left), right_part(top_right));
      const auto step = hn::Sub(between(left_part(bottom_left), right_part(bottom_right)), top);
      // (2^15 top + lower step) 2^-7, rounded down, with the low bits of the step apart so that 32 bits are enough.
      const auto high = hn::Add(hn::ShiftLeft<8>(top), hn::Mul(lower, hn::ShiftRight<7>(step)));
      const auto low = hn::ShiftRight<7>(hn::Mul(lower, hn::And(step, below)));
      const auto sum = hn::ShiftRight<23>(hn::Add(hn::Add(high, low), half));
      levels[c] = hn::DemoteTo(bytes, sum);
    };
    channel(std::integral_constant<int, 0>());
    if constexpr (channels > 1) channel(std::integral_constant<int, 1>());
    if constexpr (channels > 2) channel(std::integral_constant<int, 2>());
    if constexpr (channels > 3) channel(std::integral_constant<int, 3>());
    store_pixels(bytes, levels, channels, target);
  });
}

Index warp_bytes(const kernels::WarpJob<std::uint8_t>& job, const std::uint8_t* slice, Index y, Index x, Index count,
                 std::uint8_t* to) {
  switch (job.channels) {
    case 1:
      return warp_bytes_of<1>(job, slice, y, x, count, to);
    case 3:
      return warp_bytes_of<3>(job, slice, y, x, count, to);
    case 4:
      return warp_bytes_of<4>(job, slice, y, x, count, to);
    default:
      return 0;
  }
}

Index warp_floats(const kernels::WarpJob<float>& job, const float* slice, Index y, Index x, Index count, float* to) {
  const Floats d;
  const auto one = hn::Set(d, 1.0F);
  const auto old_row = static_cast<std::int32_t>(job.width * job.channels);
  const auto weight = [&](hn::Vec<Bits> rest) HWY_ATTR {
    // Halves of 16 bits are converted exactly: their sum is rounded once, as a conversion of the whole is.
    constexpr int half_bits = 16;
    const auto high = hn::ConvertTo(d, hn::BitCast(Numbers(), hn::ShiftRight<half_bits>(rest)));
    const auto low = hn::ConvertTo(d, hn::BitCast(Numbers(), hn::And(rest, hn::Set(Bits(), 0xffff))));
    return hn::Mul(hn::MulAdd(high, hn::Set(d, 65536.0F), low), hn::Set(d, 1 / 4294967296.0F));
  };
  return for_vectors(job, y, x, count, to, [&](auto at, auto down, auto across, float* target) HWY_ATTR {
    const auto second = weight(across);
    const auto first = hn::Sub(one, second);
    const auto lower = weight(down);
    const auto upper = hn::Sub(one, lower);
    const auto has_weight = hn::Ne(lower, hn::Zero(d));
    constexpr int most_channels = 4;
    hn::Vec<Floats> results[most_channels];
    for (int c = 0; c < job.channels; ++c) {
      const auto neighbor = [&](std::int32_t distance) HWY_ATTR {
        return hn::GatherIndex(d, slice, hn::Add(at, hn::Set(Numbers(), distance + c)));
      };
      const auto top = hn::Add(hn::Mul(first, neighbor(0)), hn::Mul(second, neighbor(job.channels)));
      const auto bottom = hn::Add(hn::Mul(first, neighbor(old_row)), hn::Mul(second, neighbor(old_row + job.channels)));
      results[c] = hn::Add(hn::Mul(upper, top), hn::IfThenElseZero(has_weight, hn::Mul(lower, bottom)));
    }
    store_pixels(d, results, job.channels, target);
  });
}

#endif

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(warp_bytes);
HWY_EXPORT(warp_floats);

Index warp_inside(const kernels::WarpJob<std::uint8_t>& job, const std::uint8_t* slice, Index y, Index x, Index count,
                  std::uint8_t* to) {
  return HWY_DYNAMIC_DISPATCH(warp_bytes)(job, slice, y, x, count, to);
}
Index warp_inside(const kernels::WarpJob<float>& job, const float* slice, Index y, Index x, Index count, float* to) {
  return HWY_DYNAMIC_DISPATCH(warp_floats)(job, slice, y, x, count, to);
}

}  // namespace whorl::backend::cpu
#endif
