// Kernel family: non-local means of float32 images, and the noise in them.
//
// Both devices make the same sums and products, each rounded by itself, in the same order: their results have the same
// bits.
#pragma once

#include <limits>

#include "filter/src/kernels/exponential.hpp"
#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

struct NonLocalMeans {
  Border border = Border::reflect;
  float border_value = 0;
  Index patch = 3;     ///< pixels to each side of the middle
  Index search = 10;   ///< likewise
  float strength = 0;  ///< h; 0: per_sigma times the noise
  float per_sigma = 0;
  bool rician = false;  ///< means of squares, less the bias that noise gives them
};

/// The factor that turns sums of squared differences over a patch and its channels into the exponent of the weight.
constexpr float weight_scale(const NonLocalMeans& job, float sigma, int channels) {
  const float strength = job.strength > 0 ? job.strength : job.per_sigma * sigma;
  const auto side = static_cast<float>(2 * job.patch + 1);
  const float square = strength * strength * (side * side * static_cast<float>(channels));
  return square > std::numeric_limits<float>::min() ? 1.0F / square : std::numeric_limits<float>::max();
}

/// The number that is subtracted from a mean of squared magnitudes.
constexpr float rician_bias(float sigma) { return 2.0F * (sigma * sigma); }

/// sigma: a number on the context's device.
inline FilterKernel<void(const Context&, const ImageFormat&, const NonLocalMeans&, const float* sigma,
                         const float* from, float* to)>
    non_local_means{"non_local_means"};

/// The standard deviation of white noise, from the median of |a - b - c + d| / 2 over disjoint squares of four pixels
/// (the diagonal band of Haar's wavelet), to a relative 1e-3; 0 if there is no such square.
inline FilterKernel<void(const Context&, const ImageFormat&, const float* image, float* sigma)> noise_sigma{
    "noise_sigma"};

/// Floats that are not negative are sorted into bins of equal relative width, 2^-9.
inline constexpr int noise_bin_shift = 14;
inline constexpr std::int32_t noise_bins = 1 << (31 - noise_bin_shift);
constexpr std::int32_t noise_bin(float a, float b, float c, float d) {
  const float detail = ((a - b) - (c - d)) * 0.5F;
  return (std::bit_cast<std::int32_t>(detail) & std::numeric_limits<std::int32_t>::max()) >> noise_bin_shift;
}
/// The noise whose median detail lies in the middle of a bin: 0.6745 sigma.
constexpr float sigma_of_bin(std::int32_t bin) {
  constexpr float per_median = 1.48260222F;
  return bin == 0 ? 0.0F : per_median * std::bit_cast<float>((bin << noise_bin_shift) | (1 << (noise_bin_shift - 1)));
}

}  // namespace whorl::kernels
