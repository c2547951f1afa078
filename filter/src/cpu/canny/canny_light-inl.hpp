// The light of pixels, as canny defines it (whorl/filter/windows/canny.hpp). Included once for each target.
#if defined(WHORL_CANNY_LIGHT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_CANNY_LIGHT_INL
#undef WHORL_CANNY_LIGHT_INL
#else
#define WHORL_CANNY_LIGHT_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "filter/src/kernels/canny/canny.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Gray levels: integers of uint8 images, exact floats of uint16.
template <class T>
using LevelOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

HWY_INLINE std::int16_t light_of(const std::uint8_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const std::uint32_t sum =
      kernels::luma_red * pixel[0] + kernels::luma_green * pixel[1] + kernels::luma_blue * pixel[2];
  return static_cast<std::int16_t>(sum >> kernels::luma_bits);
}
HWY_INLINE float light_of(const std::uint16_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const std::uint32_t light = (2125U * pixel[0] + 7154U * pixel[1] + 721U * pixel[2]) / 10000U;
  return static_cast<float>(light);
}
HWY_INLINE float light_of(const float* pixel, int channels) {
  if (channels < 3) return pixel[0];
  return 0.2125F * pixel[0] + 0.7154F * pixel[1] + 0.0721F * pixel[2];
}

template <class D, class V>
HWY_INLINE V light_part(D d, V color, std::uint32_t part) {
  return hn::Mul(color, hn::Set(d, part));
}

// Computes the lights of uint8 RGB pixels in whole vectors; returns the number of these pixels.
HWY_INLINE Index rgb_lights(const std::uint8_t* pixels, int channels, Index count, std::int16_t* lights) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  const auto n = static_cast<Index>(hn::Lanes(d));
  Index x = 0;
  for (; x + n <= count; x += n) {
    hn::Vec<decltype(d8)> r, g, b, a;
    if (channels == 3) {
      hn::LoadInterleaved3(d8, pixels + x * 3, r, g, b);
    } else {
      hn::LoadInterleaved4(d8, pixels + x * 4, r, g, b, a);
    }
    auto sum = light_part(d, hn::PromoteTo(d, r), kernels::luma_red);
    sum = hn::Add(sum, light_part(d, hn::PromoteTo(d, g), kernels::luma_green));
    sum = hn::Add(sum, light_part(d, hn::PromoteTo(d, b), kernels::luma_blue));
    const hn::RebindToSigned<decltype(d)> d32;
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(d32, hn::ShiftRight<kernels::luma_bits>(sum))), d16, lights + x);
  }
  return x;
}

template <class T>
HWY_INLINE void lights_of(const T* pixels, int channels, Index count, LevelOf<T>* lights) {
  Index x = 0;
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (channels >= 3) x = rgb_lights(pixels, channels, count, lights);
  }
  if (channels == 1) {
    for (; x < count; ++x) lights[x] = static_cast<LevelOf<T>>(pixels[x]);
  }
  for (; x < count; ++x) lights[x] = light_of(pixels + x * channels, channels);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
