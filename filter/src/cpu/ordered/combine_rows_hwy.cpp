#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/combine_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/combine_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool larger, class Key>
HWY_INLINE void combine(Key* a, const Key* b, Index count) {
  const hn::CappedTag<Key, row_slack_bytes / sizeof(Key)> d;
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d))) {
    const auto x = hn::LoadU(d, a + i);
    const auto y = hn::LoadU(d, b + i);
    hn::StoreU(larger ? hn::Max(x, y) : hn::Min(x, y), d, a + i);
  }
}

#define WHORL_COMBINE(Key, type)                                                          \
  void smaller_##type(Key* a, const Key* b, Index count) { combine<false>(a, b, count); } \
  void larger_##type(Key* a, const Key* b, Index count) { combine<true>(a, b, count); }
WHORL_COMBINE(std::uint8_t, bytes)
WHORL_COMBINE(std::uint16_t, words)
WHORL_COMBINE(std::int32_t, integers)
#undef WHORL_COMBINE

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

#define WHORL_COMBINE(Key, type)                         \
  HWY_EXPORT(smaller_##type);                            \
  HWY_EXPORT(larger_##type);                             \
  template <>                                            \
  void keep_smaller(Key* a, const Key* b, Index count) { \
    HWY_DYNAMIC_DISPATCH(smaller_##type)(a, b, count);   \
  }                                                      \
  template <>                                            \
  void keep_larger(Key* a, const Key* b, Index count) {  \
    HWY_DYNAMIC_DISPATCH(larger_##type)(a, b, count);    \
  }
WHORL_COMBINE(std::uint8_t, bytes)
WHORL_COMBINE(std::uint16_t, words)
WHORL_COMBINE(std::int32_t, integers)
#undef WHORL_COMBINE

}  // namespace whorl::backend::cpu
#endif
