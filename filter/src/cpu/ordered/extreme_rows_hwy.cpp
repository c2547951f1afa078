#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/extreme_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/extreme_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filter/src/cpu/ordered/keys-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using kernels::Extremum;

template <Extremum which, class V>
HWY_INLINE V extremum(V a, V b) {
  return which == Extremum::largest ? hn::Max(a, b) : hn::Min(a, b);
}

// `steps` of them, kept in registers.
template <Extremum which, Index steps, class Key>
HWY_INLINE void down_by(Key* const* held, Index count, Key* row) {
  const PixelTag<Key> d;
  for (Index x = 0; x < count; x += static_cast<Index>(hn::Lanes(d))) {
    auto today = hn::LoadU(d, row + x);
    WHORL_UNROLL
    for (Index k = 0; k < steps; ++k) {
      const auto earlier = hn::LoadU(d, held[k] + x);
      hn::StoreU(today, d, held[k] + x);
      today = extremum<which>(today, earlier);
    }
    hn::StoreU(today, d, row + x);
  }
}

template <Extremum which, class Key>
HWY_INLINE void down(Key* const* held, Index steps, Index count, Key* row) {
  constexpr Index most = 4;
  for (; steps > most; steps -= most, held += most) down_by<which, most>(held, count, row);
  switch (steps) {
    case 0:
      return;
    case 1:
      return down_by<which, 1>(held, count, row);
    case 2:
      return down_by<which, 2>(held, count, row);
    case 3:
      return down_by<which, 3>(held, count, row);
    default:
      return down_by<which, most>(held, count, row);
  }
}

// Two steps at once; the last ones store.
template <Extremum which, class T>
HWY_INLINE void along(const DoublingSteps& steps, Index channels, Index count, bool stream, kernels::Ordered<T>* row,
                      T* to) {
  using Key = kernels::Ordered<T>;
  const PixelTag<Key> d;
  const auto taken = [&](Index k) { return k < steps.count ? steps.distances[k] * channels : 0; };
  Index needed = count;
  for (Index k = 0; k < steps.count; ++k) needed += taken(k);
  Index k = 0;
  for (; k + 2 < steps.count; k += 2) {
    const Index a = taken(k);
    const Index b = taken(k + 1);
    needed -= a + b;
    for (Index i = 0; i < needed; i += static_cast<Index>(hn::Lanes(d))) {
      const auto left = extremum<which>(hn::LoadU(d, row + i), hn::LoadU(d, row + i + a));
      const auto right = extremum<which>(hn::LoadU(d, row + i + b), hn::LoadU(d, row + i + a + b));
      hn::StoreU(extremum<which>(left, right), d, row + i);
    }
  }
  const Index a = taken(k);
  const Index b = taken(k + 1);
  store_pixels(count, stream, to, [=](Index i) HWY_ATTR {
    const auto left = extremum<which>(hn::LoadU(d, row + i), hn::LoadU(d, row + i + a));
    const auto right = extremum<which>(hn::LoadU(d, row + i + b), hn::LoadU(d, row + i + a + b));
    return extremum<which>(left, right);
  });
}

#define WHORL_DOWN(Key, name)                                                                \
  void down_##name(Extremum which, Key* const* held, Index steps, Index count, Key* row) {   \
    if (which == Extremum::largest) return down<Extremum::largest>(held, steps, count, row); \
    down<Extremum::smallest>(held, steps, count, row);                                       \
  }
#define WHORL_ALONG(T, name)                                                                                     \
  void along_##name(Extremum which, const DoublingSteps& steps, Index channels, Index count, bool stream,        \
                    kernels::Ordered<T>* row, T* to) {                                                           \
    if (which == Extremum::largest) return along<Extremum::largest, T>(steps, channels, count, stream, row, to); \
    along<Extremum::smallest, T>(steps, channels, count, stream, row, to);                                       \
  }
WHORL_DOWN(std::uint8_t, bytes)
WHORL_DOWN(std::uint16_t, words)
WHORL_DOWN(std::int32_t, integers)
WHORL_ALONG(std::uint8_t, bytes)
WHORL_ALONG(std::uint16_t, words)
WHORL_ALONG(float, floats)
#undef WHORL_DOWN
#undef WHORL_ALONG

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

using kernels::Extremum;

#define WHORL_DOWN(Key, name)                                                                \
  HWY_EXPORT(down_##name);                                                                   \
  template <>                                                                                \
  void extremes_down(Extremum which, Key* const* held, Index steps, Index count, Key* row) { \
    HWY_DYNAMIC_DISPATCH(down_##name)(which, held, steps, count, row);                       \
  }
#define WHORL_ALONG(T, name)                                                                                \
  HWY_EXPORT(along_##name);                                                                                 \
  template <>                                                                                               \
  void extremes_along(Extremum which, const DoublingSteps& steps, Index channels, Index count, bool stream, \
                      kernels::Ordered<T>* row, T* to) {                                                    \
    HWY_DYNAMIC_DISPATCH(along_##name)(which, steps, channels, count, stream, row, to);                     \
  }
WHORL_DOWN(std::uint8_t, bytes)
WHORL_DOWN(std::uint16_t, words)
WHORL_DOWN(std::int32_t, integers)
WHORL_ALONG(std::uint8_t, bytes)
WHORL_ALONG(std::uint16_t, words)
WHORL_ALONG(float, floats)
#undef WHORL_DOWN
#undef WHORL_ALONG

}  // namespace whorl::backend::cpu
#endif
