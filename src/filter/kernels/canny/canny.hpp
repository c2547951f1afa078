// Kernel family: the edges of images (whorl/filter/windows/canny.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "filter/kernels/kernel.hpp"
#include "filter/kernels/points/points.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

inline constexpr int largest_canny_radius = 15;
inline constexpr float tangent_of_sector = 0.41421357F;  ///< tan(22.5 degrees)

/// Bits of the fractions in the Gaussian of uint8 images: of its weights, and of gray levels between its two passes.
/// A product is (weight * level + 2^14) >> 15.
inline constexpr int canny_weight_bits = 15;
inline constexpr int level_bits = 6;

/// Parts of 2^23 of a color in the light of uint8 pixels. They are rounded up: their sum is above the exact one by less
/// than 3 * 255 / 2^23 < 1 / 10000, which is how far the integer part is from the next at least.
inline constexpr int luma_bits = 23;
inline constexpr std::uint32_t luma_red = 1782580;
inline constexpr std::uint32_t luma_green = 6001211;
inline constexpr std::uint32_t luma_blue = 604819;

struct CannyPlan {
  Border border = Border::reflect;
  float border_value = 0;
  int radius = 0;  ///< 0: no Gaussian
  /// Of the pixels at distance 0 to radius.
  std::array<float, largest_canny_radius + 1> weights{};
  std::array<std::int16_t, largest_canny_radius + 1> fixed_weights{};
  bool squared = true;  ///< lengths of gradients, and with them the thresholds, are squares
  bool first_of_ties = false;
  float low = 0;
  float high = 0;
};

/// Slices of gray images from those of `format`, whose numbers are T, or become T by what is done to pixels as they are
/// read: `load`, or null.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const CannyPlan&, const PointCode* load, const void* from,
                         T* to)>
    canny{"canny"};

}  // namespace whorl::kernels
