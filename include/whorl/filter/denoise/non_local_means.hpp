// Non-local means: each pixel the mean of those whose surroundings look like its own.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

struct NonLocalMeansOptions : BorderOptions {
  std::optional<double> strength;  ///< h, in the image's numbers; none: 1.2 times the noise
  Index patch = 3;                 ///< of the surroundings, pixels to each side
  Index search = 10;               ///< where others are looked for, pixels to each side
  std::optional<double> sigma;     ///< of the noise; none: estimated
  bool rician = false;             ///< magnitudes: means of squares, less what the noise adds to them
};

/// result(p) = sum over q of w(p, q) image(q) / sum of w, over the square of 2 search + 1 pixels around p, with
/// w = exp(-d^2 / h^2) and d^2 the mean over 2 patch + 1 by 2 patch + 1 pixels and all channels of the squared
/// difference of what lies around p and q; w = 1 for q = p. This is also what OpenCV's fastNlMeansDenoising computes,
/// with rounded weights. Volumes slice by slice; all channels of a pixel have one weight.
///
/// Noise     Where h, or sigma for `rician`, is not given, the noise is estimated from the whole image, as white: the
///           median absolute value of its finest diagonal wavelet band (Haar's) by 0.6745. Of integers it is found in
///           steps of 0.74, so that h should be given for less noise than that.
/// Rician    sqrt(max(mean of squares - 2 sigma^2, 0)), sigma that of the real and the imaginary part.
/// Accuracy  of the weights 3e-7 (1 + d^2/h^2). Integers are averaged as float32 and rounded in the end.
/// Throws    ValueError for h <= 0, sigma < 0, a patch beyond 0 to 10, a search beyond 0 to 100; Unsupported for
/// `rician`
///           of complex images; ShapeError where noise is to be estimated and the image has no 2 x 2 pixels.
/// Source    Buades, Coll and Morel, CVPR 2005, 60; sums of squares of one shift at a time: Darbon et al., ISBI 2008,
///           1331; Rician: Wiest-Daessle et al., MICCAI 2008, 171; noise: Donoho and Johnstone, Biometrika 81:425
///           (1994)
std::unique_ptr<Filter> make_non_local_means(const NonLocalMeansOptions& options);

}  // namespace whorl
