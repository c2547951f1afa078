#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/windows/tap_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/tap_sums_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Sums = hn::CappedTag<std::int32_t, 16>;
using Sum = hn::Vec<Sums>;

// Two rows of six vectors of sums are in registers: each number is read once for two of them.
constexpr int vectors = 6;

template <class T>
HWY_INLINE Sum low_half(const T* from) {
  return hn::PromoteTo(Sums(), hn::LoadU(hn::Rebind<T, Sums>(), from));
}
HWY_INLINE Sum low_half(const std::uint16_t* from) {
  constexpr std::int32_t sign = 0x8000;
  const Sum wide = hn::PromoteTo(Sums(), hn::LoadU(hn::Rebind<std::uint16_t, Sums>(), from));
  return hn::Xor(wide, hn::Set(Sums(), sign));
}
HWY_INLINE Sum low_half(const std::int32_t* from) {
  constexpr std::int32_t low = 0xffff;
  return hn::And(hn::LoadU(Sums(), from), hn::Set(Sums(), low));
}

template <class T>
HWY_INLINE void pack(const T* a, const T* b, std::size_t count, std::int32_t* to) {
  constexpr int half = 16;
  for (std::size_t i = 0; i < count; i += hn::Lanes(Sums())) {
    hn::StoreU(hn::Or(low_half(a + i), hn::ShiftLeft<half>(low_half(b + i))), Sums(), to + i);
  }
}

template <class Real>
using Reals = hn::CappedTag<Real, 64 / sizeof(Real)>;

// Adds the products of both halves of each number to even + odd, which are combined later.
HWY_INLINE void add_products(Sum pair, Sum weights, Sum& even, Sum& odd) {
#if HWY_TARGET == HWY_SCALAR
  const std::int32_t a = hn::GetLane(pair);
  const std::int32_t b = hn::GetLane(weights);
  constexpr int half = 16;
  const std::int32_t low = static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b);
  const std::int32_t high = (a >> half) * (b >> half);
  even = hn::Add(even, hn::Set(Sums(), low));
  odd = hn::Add(odd, hn::Set(Sums(), high));
#else
  const hn::Repartition<std::int16_t, Sums> halves;
  even = hn::ReorderWidenMulAccumulate(Sums(), hn::BitCast(halves, pair), hn::BitCast(halves, weights), even, odd);
#endif
}
HWY_INLINE Sum brought_together(Sum even, Sum odd) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Add(even, odd);
#else
  return hn::RearrangeToOddPlusEven(even, odd);
#endif
}

template <int rows>
struct PairBlock {
  Sum even[rows][vectors];
  Sum odd[rows][vectors];

  HWY_INLINE explicit PairBlock(std::int32_t start) {
    WHORL_UNROLL for (int r = 0; r < rows; ++r) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        even[r][v] = hn::Set(Sums(), start);
        odd[r][v] = hn::Zero(Sums());
      }
    }
  }

  template <int first, int last>
  HWY_INLINE void add(const std::int32_t* pairs, const std::vector<PairTap>& taps) {
    const std::size_t lanes = hn::Lanes(Sums());
    for (const PairTap& tap : taps) {
      const Sum weight_0 = hn::Set(Sums(), tap.first);
      const Sum weight_1 = hn::Set(Sums(), tap.second);
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        const Sum pair = hn::LoadU(Sums(), pairs + tap.offset + static_cast<std::size_t>(v) * lanes);
        if constexpr (first == 0) add_products(pair, weight_0, even[0][v], odd[0][v]);
        if constexpr (last == 1) add_products(pair, weight_1, even[1][v], odd[1][v]);
      }
    }
  }

  HWY_INLINE Sum sum(int r, int v) const { return brought_together(even[r][v], odd[r][v]); }
};

template <class Real, int rows, int vectors>
struct RealBlock {
  hn::Vec<Reals<Real>> sums[rows][vectors];

  HWY_INLINE RealBlock() {
    WHORL_UNROLL for (int r = 0; r < rows; ++r) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(Reals<Real>());
    }
  }

  template <int first, int last>
  HWY_INLINE void add(const Real* numbers, const std::vector<Tap<Real>>& taps) {
    const Reals<Real> d;
    for (const Tap<Real>& tap : taps) {
      const auto weight_0 = hn::Set(d, tap.first);
      const auto weight_1 = hn::Set(d, tap.second);
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        const auto number = hn::LoadU(d, numbers + tap.offset + static_cast<std::size_t>(v) * hn::Lanes(d));
        if constexpr (first == 0) sums[0][v] = hn::MulAdd(weight_0, number, sums[0][v]);
        if constexpr (last == 1) sums[1][v] = hn::MulAdd(weight_1, number, sums[1][v]);
      }
    }
  }

  HWY_INLINE auto sum(int r, int v) const { return sums[r][v]; }
};

HWY_INLINE hn::Vec<Reals<float>> finished(hn::Vec<Reals<float>> sum, const TapFinish& finish) {
  const Reals<float> d;
  return hn::MulAdd(finish.absolute ? hn::Abs(sum) : sum, hn::Set(d, finish.scale), hn::Set(d, finish.offset));
}

template <class Out>
HWY_INLINE void put(Sum sum, const TapFinish& finish, Out* to) {
  const hn::Rebind<Out, Sums> out;
  if (finish.plain) {
    hn::StoreU(hn::DemoteTo(out, sum), out, to);
    return;
  }
  const Reals<float> d;
  const auto value = finished(hn::ConvertTo(d, sum), finish);
  const auto within = hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, finish.largest));
  hn::StoreU(hn::DemoteTo(out, hn::ConvertTo(Sums(), within)), out, to);
}
HWY_INLINE void put(Sum sum, const TapFinish& finish, float* to) {
  hn::StoreU(finished(hn::ConvertTo(Reals<float>(), sum), finish), Reals<float>(), to);
}
HWY_INLINE void put(Sum sum, const TapFinish& /*finish*/, std::int32_t* to) { hn::StoreU(sum, Sums(), to); }
HWY_INLINE void put(hn::Vec<Reals<float>> sum, const TapFinish& finish, float* to) {
  hn::StoreU(finished(sum, finish), Reals<float>(), to);
}
HWY_INLINE void put_past(hn::Vec<Reals<float>> sum, const TapFinish& finish, float* to) {
  hn::Stream(finished(sum, finish), Reals<float>(), to);
}
HWY_INLINE void put(hn::Vec<Reals<double>> sum, const TapFinish& /*finish*/, double* to) {
  hn::StoreU(sum, Reals<double>(), to);
}

template <int rows, int vectors, class Block, class Out>
HWY_INLINE void put_block(const Block& block, const TapFinish& finish, std::size_t lanes, std::size_t count, Out* first,
                          Out* second) {
  if constexpr (std::is_same_v<Block, RealBlock<float, rows, vectors>>) {
    if (finish.stream && count >= vectors * lanes) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        put_past(block.sum(0, v), finish, first + static_cast<std::size_t>(v) * lanes);
        if constexpr (rows == 2) put_past(block.sum(1, v), finish, second + static_cast<std::size_t>(v) * lanes);
      }
      return;
    }
  }
  if (count >= vectors * lanes) {
    WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
      put(block.sum(0, v), finish, first + static_cast<std::size_t>(v) * lanes);
      if constexpr (rows == 2) put(block.sum(1, v), finish, second + static_cast<std::size_t>(v) * lanes);
    }
    return;
  }
  Out rest[tap_slack];
  Out* const to[2] = {first, second};
  WHORL_UNROLL for (int r = 0; r < rows; ++r) {
    WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
      put(block.sum(r, v), finish, rest + static_cast<std::size_t>(v) * lanes);
    }
    std::copy(rest, rest + count, to[r]);
  }
}

template <int rows, class Out>
HWY_INLINE void pair_rows(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start,
                          const TapFinish& finish, std::size_t count, Out* first, Out* second) {
  const std::size_t lanes = hn::Lanes(Sums());
  for (std::size_t i = 0; i < count; i += vectors * lanes) {
    PairBlock<rows> block(start);
    block.template add<0, 0>(pairs + i, taps.first);
    if constexpr (rows == 2) {
      block.template add<0, 1>(pairs + i, taps.both);
      block.template add<1, 1>(pairs + i, taps.second);
    }
    put_block<rows, vectors>(block, finish, lanes, count - i, first + i, rows == 2 ? second + i : nullptr);
  }
}

// All whole blocks from sum `i` on; with `all` also the incomplete last block.
template <int rows, int vectors, class Real>
HWY_INLINE std::size_t real_blocks(const Real* numbers, const Taps<Real>& taps, const TapFinish& finish, std::size_t i,
                                   std::size_t count, bool all, Real* first, Real* second) {
  const std::size_t lanes = hn::Lanes(Reals<Real>());
  for (; all ? i < count : i + vectors * lanes <= count; i += vectors * lanes) {
    RealBlock<Real, rows, vectors> block;
    block.template add<0, 0>(numbers + i, taps.first);
    if constexpr (rows == 2) {
      block.template add<0, 1>(numbers + i, taps.both);
      block.template add<1, 1>(numbers + i, taps.second);
    }
    put_block<rows, vectors>(block, finish, lanes, count - i, first + i, rows == 2 ? second + i : nullptr);
  }
  return i;
}

template <int rows, class Real>
HWY_INLINE void real_rows(const Real* numbers, const Taps<Real>& taps, const TapFinish& finish, std::size_t count,
                          Real* first, Real* second) {
  const TapFinish own = finish;  // a copy, which no store can change
  std::size_t i = real_blocks<rows, vectors>(numbers, taps, own, 0, count, false, first, second);
  i = real_blocks<rows, vectors / 2>(numbers, taps, own, i, count, false, first, second);
  real_blocks<rows, 1>(numbers, taps, own, i, count, true, first, second);
}

void pack_8(const std::uint8_t* a, const std::uint8_t* b, std::size_t n, std::int32_t* to) { pack(a, b, n, to); }
void pack_16(const std::uint16_t* a, const std::uint16_t* b, std::size_t n, std::int32_t* to) { pack(a, b, n, to); }
void pack_32(const std::int32_t* a, const std::int32_t* b, std::size_t n, std::int32_t* to) { pack(a, b, n, to); }

#define WHORL_PAIRS(NAME, Out)                                                                                      \
  void NAME(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, const TapFinish& finish, \
            std::size_t count, Out* first, Out* second) {                                                           \
    if (second == nullptr) {                                                                                        \
      pair_rows<1>(pairs, taps, start, finish, count, first, second);                                               \
    } else {                                                                                                        \
      pair_rows<2>(pairs, taps, start, finish, count, first, second);                                               \
    }                                                                                                               \
  }
WHORL_PAIRS(pairs_8, std::uint8_t)
WHORL_PAIRS(pairs_16, std::uint16_t)
WHORL_PAIRS(pairs_float, float)
WHORL_PAIRS(pairs_32, std::int32_t)
#undef WHORL_PAIRS

#define WHORL_REALS(NAME, Real)                                                                                   \
  void NAME(const Real* numbers, const Taps<Real>& taps, const TapFinish& finish, std::size_t count, Real* first, \
            Real* second) {                                                                                       \
    if (second == nullptr) {                                                                                      \
      real_rows<1>(numbers, taps, finish, count, first, second);                                                  \
    } else {                                                                                                      \
      real_rows<2>(numbers, taps, finish, count, first, second);                                                  \
    }                                                                                                             \
  }
WHORL_REALS(reals_float, float)
WHORL_REALS(reals_double, double)
#undef WHORL_REALS

void reals_of_rows(const float* numbers, Index pitch, const Taps<float>& taps, const TapFinish& finish, TapRows area,
                   float* to, Index stride, float* unused) {
  const auto count = static_cast<std::size_t>(area.count);
  for (Index row = 0; row < area.rows; row += 2) {
    float* second = row + 1 < area.rows ? to + (row + 1) * stride : unused;
    real_rows<2>(numbers + row * pitch, taps, finish, count, to + row * stride, second);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(pack_8);
HWY_EXPORT(pack_16);
HWY_EXPORT(pack_32);
HWY_EXPORT(pairs_8);
HWY_EXPORT(pairs_16);
HWY_EXPORT(pairs_float);
HWY_EXPORT(pairs_32);
HWY_EXPORT(reals_float);
HWY_EXPORT(reals_double);
HWY_EXPORT(reals_of_rows);

void pack_pairs(const std::uint8_t* a, const std::uint8_t* b, std::size_t count, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(pack_8)(a, b, count, to);
}
void pack_pairs(const std::uint16_t* a, const std::uint16_t* b, std::size_t count, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(pack_16)(a, b, count, to);
}
void pack_pairs(const std::int32_t* a, const std::int32_t* b, std::size_t count, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(pack_32)(a, b, count, to);
}

#define WHORL_PAIRS(NAME, Out)                                                                  \
  void pair_sums(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, \
                 const TapFinish& finish, std::size_t count, Out* first, Out* second) {         \
    HWY_DYNAMIC_DISPATCH(NAME)(pairs, taps, start, finish, count, first, second);               \
  }
WHORL_PAIRS(pairs_8, std::uint8_t)
WHORL_PAIRS(pairs_16, std::uint16_t)
WHORL_PAIRS(pairs_float, float)
WHORL_PAIRS(pairs_32, std::int32_t)
#undef WHORL_PAIRS

void real_sums(const float* numbers, const Taps<float>& taps, const TapFinish& finish, std::size_t count, float* first,
               float* second) {
  HWY_DYNAMIC_DISPATCH(reals_float)(numbers, taps, finish, count, first, second);
}
void real_sums(const double* numbers, const Taps<double>& taps, const TapFinish& finish, std::size_t count,
               double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(reals_double)(numbers, taps, finish, count, first, second);
}
void real_sums_of_rows(const float* numbers, Index pitch, const Taps<float>& taps, const TapFinish& finish,
                       TapRows area, float* to, Index stride, float* unused) {
  HWY_DYNAMIC_DISPATCH(reals_of_rows)(numbers, pitch, taps, finish, area, to, stride, unused);
}

}  // namespace whorl::backend::cpu
#endif
