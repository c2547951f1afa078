// Non-local means: each pixel becomes the mean of the pixels whose surroundings look like its own.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct NonLocalMeansOptions : BorderOptions {
  std::optional<double> strength;  ///< h, in the image's numbers; none: 1.2 times the noise
  Index patch = 3;                 ///< radius of the surroundings, pixels
  Index search = 10;               ///< radius of the search, pixels
  std::optional<double> sigma;     ///< of the noise; none: estimated
  bool rician = false;             ///< for magnitudes: averages squares and subtracts the noise's share
};

/// result(p) = sum over q of w(p, q) image(q) / sum of w, over the square of 2 search + 1 pixels around p, with
/// w = exp(-d^2 / h^2). d^2 is the mean squared difference of the patches around p and q, over their (2 patch + 1)^2
/// pixels and all channels; w = 1 for q = p. OpenCV's fastNlMeansDenoising computes the same with rounded weights.
/// Volumes slice by slice; all channels of a pixel have one weight.
///
/// Noise     Without h (or sigma for `rician`) the noise is estimated from the whole image, as white noise: the median
///           absolute value of its finest diagonal Haar band, over 0.6745. For integers the estimate has steps of 0.74:
///           give h if the noise is less than that.
/// Rician    sqrt(max(mean of squares - 2 sigma^2, 0)), where sigma is that of the real and of the imaginary part.
/// Accuracy  weights to a relative 3e-7 (1 + d^2/h^2). Integers are averaged as float32 and rounded at the end.
/// Throws    ValueError for h <= 0, sigma < 0, a patch outside 0 to 10, a search outside 0 to 100; Unsupported for
///           `rician` of complex images; ShapeError where noise has to be estimated and the image has no 2 x 2 pixels.
/// Source    Buades, Coll and Morel, CVPR 2005, 60; sums of squares of one shift at a time: Darbon et al., ISBI 2008,
///           1331; Rician: Wiest-Daessle et al., MICCAI 2008, 171; noise: Donoho and Johnstone, Biometrika 81:425
///           (1994)
std::unique_ptr<Filter> make_non_local_means(const NonLocalMeansOptions& options);

}  // namespace whorl
