// Kernel family: the edges of images (whorl/filter/windows/canny.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "filter/src/kernels/kernel.hpp"
#include "filter/src/kernels/points/points.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

inline constexpr int largest_canny_radius = 15;
inline constexpr float tangent_of_sector = 0.41421357F;  ///< tan(22.5 degrees)

/// Bits of fraction in the Gaussian of uint8 images: of its weights, and of gray levels between its two passes.
/// A product is (weight * level + 2^14) >> 15.
inline constexpr int canny_weight_bits = 15;
inline constexpr int level_bits = 6;

/// The weights of colors in the light of uint8 pixels, in units of 2^-23. They are rounded up, which raises a sum by
/// less than 3 * 255 / 2^23 < 1 / 10000. Exact sums are multiples of 1 / 10000, so that the integer part is exact.
inline constexpr int luma_bits = 23;
inline constexpr std::uint32_t luma_red = 1782580;
inline constexpr std::uint32_t luma_green = 6001211;
inline constexpr std::uint32_t luma_blue = 604819;

struct CannyPlan {
  Border border = Border::reflect;
  float border_value = 0;
  int radius = 0;  ///< 0: no Gaussian
  /// The weights of the pixels at distance 0 to radius.
  std::array<float, largest_canny_radius + 1> weights{};
  std::array<std::int16_t, largest_canny_radius + 1> fixed_weights{};
  bool squared = true;  ///< lengths of gradients and the thresholds are squares
  bool first_of_ties = false;
  float low = 0;
  float high = 0;
};

/// From slices of `format` of pixels T to slices of gray edges. `load`, if not null, is applied to pixels when they are
/// read; they are T after it. Only programs that can_fuse allows.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const CannyPlan&, const PointCode* load, const void* from,
                         T* to)>
    canny{"canny"};

}  // namespace whorl::kernels
