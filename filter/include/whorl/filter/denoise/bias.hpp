// Bias: removes the smooth field of the coil from an image.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class BiasOutput { corrected, field };

struct BiasOptions {
  std::optional<double> sigma;      ///< of the smoothing, in pixels; none: a sixth of the longer side
  std::optional<double> threshold;  ///< pixels above it show the field; none: a tenth of the image's mean
  BiasOutput output = BiasOutput::corrected;
  bool volumes = false;  ///< a field for each volume; otherwise for each slice
};

/// image / field, by a homomorphic filter. The mask holds the pixels above the threshold. The logarithm of the field is
/// the logarithm of the masked pixels, smoothed, over the smoothed mask; its mean over the mask is subtracted, so that
/// the geometric mean of the image stays. Pixels outside the mask are divided by the field too.
///
/// Smoothing  four implicit steps of diffusion along each axis (whorl/filter/diffusion/heat.hpp), of total variance
///            sigma^2. This is a low-pass (1 + sigma^2 (1 - cos k) / 2)^-4, close to a Gaussian, between walls half a
///            pixel beyond the edges.
/// Limits     anatomy as smooth as the field is removed with it, so sigma has to be wider than the anatomy. The method
///            does not use the histogram, unlike N3 and N4.
/// Takes      gray images. The field is float32, the corrected image has the input's type.
/// Throws     Unsupported for color, alpha and complex images, ValueError for sigma <= 0.
/// Source     Brinkmann, Manduca and Robb, IEEE TMI 17:161 (1998)
std::unique_ptr<Filter> make_bias(const BiasOptions& options);

}  // namespace whorl
