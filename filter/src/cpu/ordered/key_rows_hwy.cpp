#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/key_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/key_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filter/src/cpu/ordered/keys-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void load_floats(const float* from, Index count, std::int32_t* to) {
  const PixelTag<std::int32_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_keys(from + i), d, to + i);
  for (; i < count; ++i) to[i] = kernels::to_ordered(from[i]);
}

void store_floats(const std::int32_t* from, Index count, float* to) {
  const PixelTag<std::int32_t> d;
  const PixelTag<float> floats;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(pixels_of<float>(hn::LoadU(d, from + i)), floats, to + i);
  for (; i < count; ++i) to[i] = kernels::from_ordered<float>(from[i]);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(load_floats);
HWY_EXPORT(store_floats);

void keys_of_row(const float* from, Index count, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(load_floats)(from, count, to);
}

void row_of_keys(const std::int32_t* from, Index count, float* to) {
  HWY_DYNAMIC_DISPATCH(store_floats)(from, count, to);
}

}  // namespace whorl::backend::cpu
#endif
