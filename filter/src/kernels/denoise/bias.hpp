// Kernel family: estimates the smooth field of an image from its logarithm.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// A sum over pixels and their number.
struct MaskedSum {
  double sum = 0;
  double count = 0;

  constexpr double mean() const { return count > 0 ? sum / count : 0; }
};

/// The pixels from which the field is estimated: those above the threshold, or above a share of the mean if that is
/// given, and above 0.
struct BiasMask {
  double threshold = 0;
  double share_of_mean = 0;

  constexpr bool holds(double value, double mean) const {
    const double least = share_of_mean > 0 ? share_of_mean * mean : threshold;
    return value > 0 && value > least;
  }
};

/// The least value of the smoothed mask that is used as a divisor.
inline constexpr float least_share = 1e-6F;

/// The sum of an image. All numbers here are on the context's device.
inline FilterKernel<void(const Context&, Index count, const float* image, MaskedSum* sum)> sum_pixels{"bias"};
/// logs = log(image / mean) in the mask and 0 outside, share = 1 and 0.
inline FilterKernel<void(const Context&, Index count, const BiasMask&, const MaskedSum* image_sum, const float* image,
                         float* logs, float* share)>
    bias_logs{"bias"};
/// logs /= share, and its sum over the mask.
inline FilterKernel<void(const Context&, Index count, const BiasMask&, const MaskedSum* image_sum, const float* image,
                         const float* share, float* logs, MaskedSum* sum)>
    bias_normalize{"bias"};
/// Replaces the image by the field exp(logs - their mean), or divides it by the field.
inline FilterKernel<void(const Context&, Index count, bool field, const MaskedSum* log_sum, const float* logs,
                         float* image)>
    bias_apply{"bias"};

}  // namespace whorl::kernels
