#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/median_of_nine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/median_of_nine_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filter/src/cpu/ordered/keys-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE V middle(V p, V q, V r) {
  return hn::Max(hn::Min(p, q), hn::Min(hn::Max(p, q), r));
}

// From sorted columns, the median of three numbers: the largest of the columns' smallest ones, the median of their
// middle ones, and the smallest of their largest ones.
template <class T>
HWY_INLINE void nine(const kernels::Ordered<T>* const* rows, Index channels, Index count, bool stream, T* to) {
  using Key = kernels::Ordered<T>;
  const PixelTag<Key> d;
  const Key* top = rows[0];
  const Key* mid = rows[1];
  const Key* low = rows[2];
  store_pixels(count, stream, to, [=](Index at) HWY_ATTR {
    Keys<T> smallest[3];
    Keys<T> medians[3];
    Keys<T> largest[3];
    WHORL_UNROLL
    for (Index c = 0; c < 3; ++c) {
      const Index i = at + c * channels;
      const auto p = hn::LoadU(d, top + i);
      const auto q = hn::LoadU(d, mid + i);
      const auto r = hn::LoadU(d, low + i);
      const auto lower = hn::Min(p, q);
      const auto upper = hn::Max(p, q);
      const auto rest = hn::Min(upper, r);
      smallest[c] = hn::Min(lower, rest);
      medians[c] = hn::Max(lower, rest);
      largest[c] = hn::Max(upper, r);
    }
    return middle(hn::Max(hn::Max(smallest[0], smallest[1]), smallest[2]), middle(medians[0], medians[1], medians[2]),
                  hn::Min(hn::Min(largest[0], largest[1]), largest[2]));
  });
}

#define WHORL_NINE(T, name)                                                                                   \
  void nine_##name(const kernels::Ordered<T>* const* rows, Index channels, Index count, bool stream, T* to) { \
    nine<T>(rows, channels, count, stream, to);                                                               \
  }
WHORL_NINE(std::uint8_t, bytes)
WHORL_NINE(std::uint16_t, words)
WHORL_NINE(float, floats)
#undef WHORL_NINE

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

#define WHORL_NINE(T, name)                                                                                       \
  HWY_EXPORT(nine_##name);                                                                                        \
  template <>                                                                                                     \
  void medians_of_nine(const kernels::Ordered<T>* const* rows, Index channels, Index count, bool stream, T* to) { \
    HWY_DYNAMIC_DISPATCH(nine_##name)(rows, channels, count, stream, to);                                         \
  }
WHORL_NINE(std::uint8_t, bytes)
WHORL_NINE(std::uint16_t, words)
WHORL_NINE(float, floats)
#undef WHORL_NINE

}  // namespace whorl::backend::cpu
#endif
