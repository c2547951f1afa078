// Bias: an image without the smooth field of its coil.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace whorl {

enum class BiasOutput { corrected, field };

struct BiasOptions {
  std::optional<double> sigma;      ///< of the smoothing, in pixels; none: a sixth of the longer side
  std::optional<double> threshold;  ///< pixels above it tell of the field; none: a tenth of the image's mean
  BiasOutput output = BiasOutput::corrected;
  bool volumes = false;  ///< a field of volumes; otherwise of each slice
};

/// image / field, by a homomorphic filter: the logarithm of the pixels in the mask, smoothed and divided by the
/// smoothed mask, is the logarithm of the field. Its mean over the mask of the whole image is taken off, so that the
/// geometric mean of the image stays. What is not in the mask is divided by the field too.
///
/// Smoothing  four implicit steps of diffusion along each axis (whorl/filter/diffusion/heat.hpp), of variance sigma^2 together: a
///            low-pass of (1 + sigma^2 (1 - cos k) / 2)^-4, close to a Gaussian's, between walls half a pixel beyond
///            the edges.
/// Limits     what is itself as smooth as the field goes with it: the method takes no notice of the histogram, unlike
/// N3
///            and N4, and wants sigma wider than the anatomy.
/// Takes      gray images. The field is float32, the corrected image has the input's type.
/// Throws     Unsupported for color, alpha and complex images, ValueError for sigma <= 0.
/// Source     Brinkmann, Manduca and Robb, IEEE TMI 17:161 (1998)
std::unique_ptr<Filter> make_bias(const BiasOptions& options);

}  // namespace whorl
