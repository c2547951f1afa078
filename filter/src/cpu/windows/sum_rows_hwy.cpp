#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/windows/sum_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/sum_rows_hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::PassTaps;
using FixedPass = PassTaps<std::int16_t>;
using FloatPass = PassTaps<float>;

// The definition, for numbers that do not fill a vector and for processors without special code here.
template <class In, class Out>
void sum_plainly(const FixedPass& pass, const In* const* rows, Index first, Index last, Out* to) {
  const auto taps = static_cast<Index>(pass.taps.size());
  for (Index i = first; i < last; ++i) {
    std::int32_t sum = 1 << pass.shift >> 1;
    for (Index k = 0; k < taps; ++k) sum += pass.taps[static_cast<std::size_t>(k)] * rows[k][i];
    to[i] = static_cast<Out>(
        std::clamp<std::int32_t>(sum >> pass.shift, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
  }
}

HWY_INLINE void store_number(float value, float& to) { to = value; }
HWY_INLINE void store_number(float value, std::uint16_t& to) {
  to = static_cast<std::uint16_t>(std::min(std::max(value + 0.5F, 0.0F), 65535.0F));
}

template <class In, class Out>
void sum_plainly(const FloatPass& pass, const In* const* rows, Index first, Index last, Out* to) {
  const float* taps = pass.taps.data();
  const auto count = static_cast<Index>(pass.taps.size());
  const Index middle = pass.radius();
  for (Index i = first; i < last; ++i) {
    const auto number = [&](Index k) { return static_cast<float>(rows[k][i]); };
    float sum = 0;
    if (pass.symmetric) {
      sum = taps[middle] * number(middle);
      for (Index k = 1; k <= middle; ++k) {
        sum = std::fma(taps[middle + k], number(middle - k) + number(middle + k), sum);
      }
    } else {
      for (Index k = 0; k < count; ++k) sum = std::fma(taps[k], number(k), sum);
    }
    store_number(sum, to[i]);
  }
}

// Stores that bypass the caches take whole vectors at aligned addresses.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
constexpr bool can_stream = true;
#else
constexpr bool can_stream = false;
#endif
constexpr Index stream_bytes = 64;

// Visits `lanes` numbers at a time from 0 to count; visits at the ends overlap others. Tells each visit whether its
// numbers may bypass the caches. A row shorter than `lanes` is not visited.
template <class Out, class Visit>
HWY_INLINE bool visit_vectors(Index lanes, Index count, const Out* to, bool stream, const Visit& visit) {
  if (count < lanes) return false;
  Index i = 0;
  if (can_stream && stream) {
    const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % stream_bytes);
    if (past != 0) {
      visit(0, false);
      i = (stream_bytes - past) / static_cast<Index>(sizeof(Out));
    }
    for (; i + lanes <= count; i += lanes) visit(i, true);
  } else {
    for (; i + lanes <= count; i += lanes) visit(i, false);
  }
  if (i != count) visit(count - lanes, false);
  return true;
}

template <class D>
HWY_INLINE void store(hn::Vec<D> value, D d, bool stream, hn::TFromD<D>* to) {
  if (stream) {
    hn::Stream(value, d, to);
  } else {
    hn::StoreU(value, d, to);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR

using Tag16 = hn::ScalableTag<std::int16_t>;
using Tag32 = hn::RepartitionToWide<Tag16>;
using Vector16 = hn::Vec<Tag16>;
using Vector32 = hn::Vec<Tag32>;

HWY_INLINE Vector16 load_16(const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, Tag16> bytes;
  return hn::PromoteTo(Tag16(), hn::LoadU(bytes, from));
}
HWY_INLINE Vector16 load_16(const std::int16_t* from) { return hn::LoadU(Tag16(), from); }

HWY_INLINE void store_16(Vector16 value, bool stream, std::int16_t* to) { store(value, Tag16(), stream, to); }
HWY_INLINE void store_16(Vector16 value, bool stream, std::uint8_t* to) {
  const hn::Rebind<std::uint8_t, Tag16> bytes;
  store(hn::DemoteTo(bytes, value), bytes, stream, to);
}

constexpr int vectors_at_once = 2;

// The sums of vectors_at_once vectors. One instruction adds the products of two neighboring lanes, so two terms are
// interleaved; packing restores the order of the halves.
struct FixedSums {
  Vector32 lower[vectors_at_once], upper[vectors_at_once];

  HWY_INLINE explicit FixedSums(int shift) {
    WHORL_UNROLL for (int v = 0; v < vectors_at_once; ++v) { lower[v] = upper[v] = hn::Set(Tag32(), 1 << shift >> 1); }
  }
  HWY_INLINE void add(int v, Vector16 a, Vector16 b, Vector16 weights) {
    Vector32 unused = hn::Zero(Tag32());
    const Tag16 d;
    lower[v] = hn::ReorderWidenMulAccumulate(Tag32(), hn::InterleaveLower(d, a, b), weights, lower[v], unused);
    upper[v] = hn::ReorderWidenMulAccumulate(Tag32(), hn::InterleaveUpper(d, a, b), weights, upper[v], unused);
  }
  HWY_INLINE Vector16 result(int v, int shift) const {
    return hn::ReorderDemote2To(Tag16(), hn::ShiftRightSame(lower[v], shift), hn::ShiftRightSame(upper[v], shift));
  }
};

HWY_INLINE Vector16 pair_of(std::int16_t a, std::int16_t b) {
  const std::uint32_t both = static_cast<std::uint16_t>(a) | static_cast<std::uint32_t>(static_cast<std::uint16_t>(b))
                                                                 << 16U;
  return hn::BitCast(Tag16(), hn::Set(Tag32(), static_cast<std::int32_t>(both)));
}

template <class In, class Out>
void sum_fixed(const FixedPass& pass, const In* const* rows, Index count, bool stream, Out* to) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag16()));
  const std::int16_t* taps = pass.taps.data();
  const auto all = static_cast<Index>(pass.taps.size());
  const Index middle = pass.radius();
  const int shift = pass.shift;
  const auto store_sums = [&](const FixedSums& sums, Index i, bool past) {
    WHORL_UNROLL for (int v = 0; v < vectors_at_once; ++v) store_16(sums.result(v, shift), past, to + i + v * lanes);
  };
  const auto folded = [&](Index i, bool past) {
    FixedSums sums(shift);
    const auto both = [&](Index k, Index at) {
      return hn::Add(load_16(rows[middle - k] + at), load_16(rows[middle + k] + at));
    };
    // The middle tap, alone or with the first pair; then two pairs at a time.
    const Index first = middle % 2;
    const Vector16 inner = pair_of(taps[middle], first == 0 ? std::int16_t{0} : taps[middle + 1]);
    WHORL_UNROLL for (int v = 0; v < vectors_at_once; ++v) {
      const Index at = i + v * lanes;
      const Vector16 own = load_16(rows[middle] + at);
      sums.add(v, own, first == 0 ? own : both(1, at), inner);
    }
    for (Index k = first + 1; k < middle; k += 2) {
      const Vector16 weights = pair_of(taps[middle + k], taps[middle + k + 1]);
      WHORL_UNROLL for (int v = 0; v < vectors_at_once; ++v) {
        const Index at = i + v * lanes;
        sums.add(v, both(k, at), both(k + 1, at), weights);
      }
    }
    store_sums(sums, i, past);
  };
  const auto plain = [&](Index i, bool past) {
    FixedSums sums(shift);
    for (Index k = 0; k < all; k += 2) {
      const Index other = std::min(k + 1, all - 1);
      const Vector16 weights = pair_of(taps[k], k + 1 < all ? taps[k + 1] : std::int16_t{0});
      WHORL_UNROLL for (int v = 0; v < vectors_at_once; ++v) {
        const Index at = i + v * lanes;
        sums.add(v, load_16(rows[k] + at), load_16(rows[other] + at), weights);
      }
    }
    store_sums(sums, i, past);
  };
  const bool done = pass.symmetric ? visit_vectors(vectors_at_once * lanes, count, to, stream, folded)
                                   : visit_vectors(vectors_at_once * lanes, count, to, stream, plain);
  if (!done) sum_plainly(pass, rows, 0, count, to);
  if (stream) hwy::FlushStream();
}

#else

template <class In, class Out>
void sum_fixed(const FixedPass& pass, const In* const* rows, Index count, bool /*stream*/, Out* to) {
  sum_plainly(pass, rows, 0, count, to);
}

#endif

// Results of uint16 must be the same on all devices, so products and sums are fused everywhere.
#if HWY_NATIVE_FMA

using TagFloat = hn::ScalableTag<float>;
using VectorFloat = hn::Vec<TagFloat>;

HWY_INLINE VectorFloat load_float(const float* from) { return hn::LoadU(TagFloat(), from); }
HWY_INLINE VectorFloat load_float(const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, TagFloat> words;
  const hn::Rebind<std::int32_t, TagFloat> integers;
  return hn::ConvertTo(TagFloat(), hn::PromoteTo(integers, hn::LoadU(words, from)));
}

HWY_INLINE void store_float(VectorFloat value, bool stream, float* to) { store(value, TagFloat(), stream, to); }
HWY_INLINE void store_float(VectorFloat value, bool stream, std::uint16_t* to) {
  const TagFloat d;
  const hn::Rebind<std::uint16_t, TagFloat> words;
  const hn::Rebind<std::int32_t, TagFloat> integers;
  const auto clipped = hn::Min(hn::Max(hn::Add(value, hn::Set(d, 0.5F)), hn::Zero(d)), hn::Set(d, 65535.0F));
  store(hn::DemoteTo(words, hn::ConvertTo(integers, clipped)), words, stream, to);
}

constexpr int floats_at_once = 4;

template <class In, class Out>
void sum_floats(const FloatPass& pass, const In* const* rows, Index count, bool stream, Out* to) {
  const auto lanes = static_cast<Index>(hn::Lanes(TagFloat()));
  const TagFloat d;
  const float* taps = pass.taps.data();
  const auto all = static_cast<Index>(pass.taps.size());
  const Index middle = pass.radius();
  const auto folded = [&](Index i, bool past) {
    VectorFloat sums[floats_at_once];
    const VectorFloat own = hn::Set(d, taps[middle]);
    WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) {
      sums[v] = hn::Mul(own, load_float(rows[middle] + i + v * lanes));
    }
    for (Index k = 1; k <= middle; ++k) {
      const VectorFloat weight = hn::Set(d, taps[middle + k]);
      const In* before = rows[middle - k] + i;
      const In* after = rows[middle + k] + i;
      WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) {
        const VectorFloat both = hn::Add(load_float(before + v * lanes), load_float(after + v * lanes));
        sums[v] = hn::MulAdd(weight, both, sums[v]);
      }
    }
    WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) store_float(sums[v], past, to + i + v * lanes);
  };
  const auto plain = [&](Index i, bool past) {
    VectorFloat sums[floats_at_once];
    WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) sums[v] = hn::Zero(d);
    for (Index k = 0; k < all; ++k) {
      const VectorFloat weight = hn::Set(d, taps[k]);
      WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) {
        sums[v] = hn::MulAdd(weight, load_float(rows[k] + i + v * lanes), sums[v]);
      }
    }
    WHORL_UNROLL for (int v = 0; v < floats_at_once; ++v) store_float(sums[v], past, to + i + v * lanes);
  };
  const bool done = pass.symmetric ? visit_vectors(floats_at_once * lanes, count, to, stream, folded)
                                   : visit_vectors(floats_at_once * lanes, count, to, stream, plain);
  if (!done) sum_plainly(pass, rows, 0, count, to);
  if (stream) hwy::FlushStream();
}

#else

template <class In, class Out>
void sum_floats(const FloatPass& pass, const In* const* rows, Index count, bool /*stream*/, Out* to) {
  sum_plainly(pass, rows, 0, count, to);
}

#endif

void bytes_to_words(const FixedPass& pass, const std::uint8_t* const* rows, Index count, bool stream,
                    std::int16_t* to) {
  sum_fixed(pass, rows, count, stream, to);
}
void words_to_bytes(const FixedPass& pass, const std::int16_t* const* rows, Index count, bool stream,
                    std::uint8_t* to) {
  sum_fixed(pass, rows, count, stream, to);
}
void words_to_floats(const FloatPass& pass, const std::uint16_t* const* rows, Index count, bool stream, float* to) {
  sum_floats(pass, rows, count, stream, to);
}
void floats_to_floats(const FloatPass& pass, const float* const* rows, Index count, bool stream, float* to) {
  sum_floats(pass, rows, count, stream, to);
}
void floats_to_words(const FloatPass& pass, const float* const* rows, Index count, bool stream, std::uint16_t* to) {
  sum_floats(pass, rows, count, stream, to);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(bytes_to_words);
HWY_EXPORT(words_to_bytes);
HWY_EXPORT(words_to_floats);
HWY_EXPORT(floats_to_floats);
HWY_EXPORT(floats_to_words);

using kernels::PassTaps;

void sum_rows(const PassTaps<std::int16_t>& pass, const std::uint8_t* const* rows, Index count, bool stream,
              std::int16_t* to) {
  HWY_DYNAMIC_DISPATCH(bytes_to_words)(pass, rows, count, stream, to);
}
void sum_rows(const PassTaps<std::int16_t>& pass, const std::int16_t* const* rows, Index count, bool stream,
              std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(words_to_bytes)(pass, rows, count, stream, to);
}
void sum_rows(const PassTaps<float>& pass, const std::uint16_t* const* rows, Index count, bool stream, float* to) {
  HWY_DYNAMIC_DISPATCH(words_to_floats)(pass, rows, count, stream, to);
}
void sum_rows(const PassTaps<float>& pass, const float* const* rows, Index count, bool stream, float* to) {
  HWY_DYNAMIC_DISPATCH(floats_to_floats)(pass, rows, count, stream, to);
}
void sum_rows(const PassTaps<float>& pass, const float* const* rows, Index count, bool stream, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(floats_to_words)(pass, rows, count, stream, to);
}

}  // namespace whorl::backend::cpu
#endif
