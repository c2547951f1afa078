#include "backend/cpu/simd_targets.hpp"
#include "filter/src/kernels/windows/detail.hpp"
#include "whorl/core/context.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/detail_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// Plain loops, which the compiler vectorizes for each target.
template <class T>
void raise_detail(const Context& ctx, Index count, float amount, const T* image, const T* blurred, T* to) {
  constexpr Index together = 16384;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index first = 0; first < count; first += together) {
    if (ctx.cancel_requested()) continue;
    const Index last = std::min(first + together, count);
    for (Index i = first; i < last; ++i) to[i] = kernels::raised(image[i], blurred[i], amount);
  }
}

void raise_uint8(const Context& ctx, Index count, float amount, const std::uint8_t* image, const std::uint8_t* blurred,
                 std::uint8_t* to) {
  raise_detail(ctx, count, amount, image, blurred, to);
}
void raise_uint16(const Context& ctx, Index count, float amount, const std::uint16_t* image,
                  const std::uint16_t* blurred, std::uint16_t* to) {
  raise_detail(ctx, count, amount, image, blurred, to);
}
void raise_float(const Context& ctx, Index count, float amount, const float* image, const float* blurred, float* to) {
  raise_detail(ctx, count, amount, image, blurred, to);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(raise_uint8);
HWY_EXPORT(raise_uint16);
HWY_EXPORT(raise_float);

namespace {

template <class T>
void raise_detail(const Context& ctx, Index count, float amount, const T* image, const T* blurred, T* to) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    HWY_DYNAMIC_DISPATCH(raise_uint8)(ctx, count, amount, image, blurred, to);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    HWY_DYNAMIC_DISPATCH(raise_uint16)(ctx, count, amount, image, blurred, to);
  } else {
    HWY_DYNAMIC_DISPATCH(raise_float)(ctx, count, amount, image, blurred, to);
  }
}

}  // namespace

void register_detail() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::raise_detail<T>.set(DeviceKind::cpu, raise_detail<T>);
  });
}

}  // namespace whorl::backend::cpu
#endif
