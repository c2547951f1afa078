#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/geometry/warp_row.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/geometry/warp_row_hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

Index warp_bytes(const kernels::WarpJob<std::uint8_t>&, const std::uint8_t*, Index, Index, Index, std::uint8_t*) {
  return 0;
}
Index warp_words(const kernels::WarpJob<std::uint16_t>&, const std::uint16_t*, Index, Index, Index, std::uint16_t*) {
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
    // The carry is -1 where the sum has overflowed.
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

// Runs of pixels of the result. The neighbors of a run are loaded pixel by pixel before any is computed: this takes a
// third of the time of a gather.
constexpr Index run_pixels = 128;

struct Run {
  HWY_ALIGN std::int32_t at[run_pixels];     ///< the first number of the upper left neighbor
  HWY_ALIGN std::uint32_t down[run_pixels];  ///< positions between neighbors, in units of 2^-32
  HWY_ALIGN std::uint32_t across[run_pixels];
};

// For whole vectors, run by run: calls bring(run, pixels), then make(first pixel in the run, place of the results) for
// each.
template <class T, class Bring, class Make>
HWY_INLINE Index for_vectors(const kernels::WarpJob<T>& job, Index y, Index x, Index count, T* to, Run& run,
                             const Bring& bring, const Make& make) {
  Positions down(job.along_y);
  Positions across(job.along_x);
  const auto lanes = static_cast<Index>(hn::Lanes(Numbers()));
  const Index whole = count / lanes * lanes;
  for (Index begin = 0; begin < whole; begin += run_pixels) {
    const Index pixels = std::min(run_pixels, whole - begin);
    for (Index i = 0; i < pixels; i += lanes) {
      down.start(job.start_y + y * job.down_y + (x + begin + i) * job.along_y);
      across.start(job.start_x + y * job.down_x + (x + begin + i) * job.along_x);
      const auto row = hn::Sub(down.whole, hn::Set(Numbers(), static_cast<std::int32_t>(job.first_row)));
      const auto pixel = hn::Add(hn::Mul(row, hn::Set(Numbers(), static_cast<std::int32_t>(job.width))), across.whole);
      hn::Store(hn::Mul(pixel, hn::Set(Numbers(), job.channels)), Numbers(), run.at + i);
      hn::Store(down.rest, Bits(), run.down + i);
      hn::Store(across.rest, Bits(), run.across + i);
    }
    bring(pixels);
    for (Index i = 0; i < pixels; i += lanes) make(i, to + (begin + i) * job.channels);
  }
  return whole;
}

template <class D, class V, class T>
HWY_INLINE void store_pixels(D d, const V* channels, int count, T* to) {
  if (count == 1) hn::StoreU(channels[0], d, to);
  if (count == 2) hn::StoreInterleaved2(channels[0], channels[1], d, to);
  if (count == 3) hn::StoreInterleaved3(channels[0], channels[1], channels[2], d, to);
  if (count == 4) hn::StoreInterleaved4(channels[0], channels[1], channels[2], channels[3], d, to);
}

template <class D, class V, class T>
HWY_INLINE void load_pixels(D d, const T* from, int count, V* channels) {
  if (count == 1) channels[0] = hn::LoadU(d, from);
  if (count == 2) hn::LoadInterleaved2(d, from, channels[0], channels[1]);
  if (count == 3) hn::LoadInterleaved3(d, from, channels[0], channels[1], channels[2]);
  if (count == 4) hn::LoadInterleaved4(d, from, channels[0], channels[1], channels[2], channels[3]);
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
  // A pixel and its right neighbor; with three channels two bytes more.
  using Pair = std::conditional_t<channels == 1, std::uint16_t, std::uint64_t>;
  HWY_ALIGN Pair upper[run_pixels];
  HWY_ALIGN Pair under[run_pixels];
  Run run;
  const auto bring = [&](Index pixels) {
    const std::uint8_t* next = slice + job.width * channels;
    for (Index i = 0; i < pixels; ++i) {
      std::memcpy(upper + i, slice + run.at[i], sizeof(Pair));
      std::memcpy(under + i, next + run.at[i], sizeof(Pair));
    }
  };
  const auto weight = [](const std::uint32_t* rest) HWY_ATTR {
    return hn::BitCast(Numbers(), hn::ShiftRight<kernels::fixed_bits - bits>(hn::Load(Bits(), rest)));
  };
  const auto words_of = [](const Pair* pairs, auto& first, auto& second) HWY_ATTR {
    if constexpr (channels == 1) {
      first = second = hn::PromoteTo(Numbers(), hn::Load(hn::Rebind<std::uint16_t, Numbers>(), pairs));
    } else {
      hn::LoadInterleaved2(Numbers(), reinterpret_cast<const std::int32_t*>(pairs), first, second);
    }
  };
  const auto half = hn::Set(d, 1 << 22);
  const auto below = hn::Set(d, 0x7f);
  return for_vectors(job, y, x, count, to, run, bring, [&](Index i, std::uint8_t* target) HWY_ATTR {
    const auto second = weight(run.across + i);
    const auto lower = weight(run.down + i);
    hn::Vec<Numbers> top_words[2];
    hn::Vec<Numbers> bottom_words[2];
    words_of(upper + i, top_words[0], top_words[1]);
    words_of(under + i, bottom_words[0], bottom_words[1]);
    hn::Vec<decltype(bytes)> levels[channels];
    const auto channel = [&](auto which) HWY_ATTR {
      constexpr int c = decltype(which)::value;
      constexpr int right = channels + c;
      const auto between = [&](const hn::Vec<Numbers>* words) HWY_ATTR {
        const auto left = byte_of<c>(words[0]);
        const auto step = hn::Sub(byte_of<right % 4>(words[right / 4]), left);
        return hn::Add(hn::ShiftLeft<bits>(left), hn::Mul(second, step));
      };
      const auto top = between(top_words);
      const auto step = hn::Sub(between(bottom_words), top);
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

// The four neighbors of the pixels of a run.
template <class T>
struct Corners {
  static constexpr Index most_channels = 4;
  HWY_ALIGN T numbers[4][run_pixels * most_channels];  ///< upper left, upper right, lower left, lower right

  template <int channels>
  HWY_INLINE void bring_of(const kernels::WarpJob<T>& job, const T* slice, const Run& run, Index pixels) {
    const Index row = job.width * channels;
    // Slanted lines defeat the processor's prefetch: fetches about what the run four rows below needs.
    constexpr Index rows_ahead = 4;
    const auto pixels_ahead = [](kernels::Fixed down) { return (rows_ahead * down) >> kernels::fixed_bits; };
    const Index ahead = (pixels_ahead(job.down_y) + 1) * row + pixels_ahead(job.down_x) * channels;
    const Index last = (job.rows_there * job.width - 1) * channels;
    for (Index i = 0; i < pixels; ++i) {
      const T* near = slice + run.at[i];
      hwy::Prefetch(slice + std::clamp<Index>(run.at[i] + ahead, 0, last));
      std::memcpy(numbers[0] + i * channels, near, channels * sizeof(T));
      std::memcpy(numbers[1] + i * channels, near + channels, channels * sizeof(T));
      std::memcpy(numbers[2] + i * channels, near + row, channels * sizeof(T));
      std::memcpy(numbers[3] + i * channels, near + row + channels, channels * sizeof(T));
    }
  }

  void bring(const kernels::WarpJob<T>& job, const T* slice, const Run& run, Index pixels) {
    if (job.channels == 1) bring_of<1>(job, slice, run, pixels);
    if (job.channels == 2) bring_of<2>(job, slice, run, pixels);
    if (job.channels == 3) bring_of<3>(job, slice, run, pixels);
    if (job.channels == 4) bring_of<4>(job, slice, run, pixels);
  }
};

Index warp_words(const kernels::WarpJob<std::uint16_t>& job, const std::uint16_t* slice, Index y, Index x, Index count,
                 std::uint16_t* to) {
  constexpr int bits = kernels::warp_weight_bits;
  const Numbers d;
  const hn::Rebind<std::uint16_t, Numbers> words;
  using Words = hn::Vec<decltype(words)>;
  Run run;
  Corners<std::uint16_t> corners;
  const auto weight = [](const std::uint32_t* rest) HWY_ATTR {
    return hn::BitCast(Numbers(), hn::ShiftRight<kernels::fixed_bits - bits>(hn::Load(Bits(), rest)));
  };
  const auto half = hn::Set(d, 1 << (bits - 1));
  const auto bring = [&](Index pixels) { corners.bring(job, slice, run, pixels); };
  return for_vectors(job, y, x, count, to, run, bring, [&](Index i, std::uint16_t* target) HWY_ATTR {
    const auto second = weight(run.across + i);
    const auto lower = weight(run.down + i);
    Words near[4][4];
    Words levels[4];
    for (int k = 0; k < 4; ++k) load_pixels(words, corners.numbers[k] + i * job.channels, job.channels, near[k]);
    for (int c = 0; c < job.channels; ++c) {
      const auto between = [&](Words left_word, Words right_word) HWY_ATTR {
        const auto left = hn::PromoteTo(d, left_word);
        return hn::Add(hn::ShiftLeft<bits>(left), hn::Mul(second, hn::Sub(hn::PromoteTo(d, right_word), left)));
      };
      const auto top = between(near[0][c], near[1][c]);
      const auto step = hn::Sub(between(near[2][c], near[3][c]), top);
      // top + 2^-15 lower step, rounded down, with the low bits of the step apart so that 32 bits are enough.
      const auto high = hn::ShiftLeft<1>(hn::Mul(lower, hn::ShiftRight<16>(step)));
      const auto low = hn::ShiftRight<bits>(hn::Mul(lower, hn::And(step, hn::Set(d, 0xffff))));
      const auto sum = hn::Add(hn::Add(top, high), hn::Add(low, half));
      levels[c] = hn::DemoteTo(words, hn::ShiftRight<bits>(sum));
    }
    store_pixels(words, levels, job.channels, target);
  });
}

Index warp_floats(const kernels::WarpJob<float>& job, const float* slice, Index y, Index x, Index count, float* to) {
  const Floats d;
  const auto one = hn::Set(d, 1.0F);
  Run run;
  Corners<float> corners;
  const auto weight = [&](const std::uint32_t* at) HWY_ATTR {
    // The two 16-bit halves are converted exactly, so their sum is rounded once, like a conversion of the whole number.
    constexpr int half_bits = 16;
    const auto rest = hn::Load(Bits(), at);
    const auto high = hn::ConvertTo(d, hn::BitCast(Numbers(), hn::ShiftRight<half_bits>(rest)));
    const auto low = hn::ConvertTo(d, hn::BitCast(Numbers(), hn::And(rest, hn::Set(Bits(), 0xffff))));
    return hn::Mul(hn::MulAdd(high, hn::Set(d, 65536.0F), low), hn::Set(d, 1 / 4294967296.0F));
  };
  const auto bring = [&](Index pixels) { corners.bring(job, slice, run, pixels); };
  return for_vectors(job, y, x, count, to, run, bring, [&](Index i, float* target) HWY_ATTR {
    const auto second = weight(run.across + i);
    const auto first = hn::Sub(one, second);
    const auto lower = weight(run.down + i);
    const auto upper = hn::Sub(one, lower);
    const auto has_weight = hn::Ne(lower, hn::Zero(d));
    hn::Vec<Floats> near[4][4];
    hn::Vec<Floats> results[4];
    for (int k = 0; k < 4; ++k) load_pixels(d, corners.numbers[k] + i * job.channels, job.channels, near[k]);
    for (int c = 0; c < job.channels; ++c) {
      const auto top = hn::MulAdd(first, near[0][c], hn::Mul(second, near[1][c]));
      const auto bottom = hn::MulAdd(first, near[2][c], hn::Mul(second, near[3][c]));
      results[c] = hn::MulAdd(upper, top, hn::IfThenElseZero(has_weight, hn::Mul(lower, bottom)));
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
HWY_EXPORT(warp_words);
HWY_EXPORT(warp_floats);

Index warp_inside(const kernels::WarpJob<std::uint8_t>& job, const std::uint8_t* slice, Index y, Index x, Index count,
                  std::uint8_t* to) {
  return HWY_DYNAMIC_DISPATCH(warp_bytes)(job, slice, y, x, count, to);
}
Index warp_inside(const kernels::WarpJob<std::uint16_t>& job, const std::uint16_t* slice, Index y, Index x, Index count,
                  std::uint16_t* to) {
  return HWY_DYNAMIC_DISPATCH(warp_words)(job, slice, y, x, count, to);
}
Index warp_inside(const kernels::WarpJob<float>& job, const float* slice, Index y, Index x, Index count, float* to) {
  return HWY_DYNAMIC_DISPATCH(warp_floats)(job, slice, y, x, count, to);
}

}  // namespace whorl::backend::cpu
#endif
