// Bilateral filter: each pixel the mean of its neighbors that have nearly its own value.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

struct BilateralOptions : BorderOptions {
  double sigma = 3;             ///< of places, pixels, 0.1 to 50
  std::optional<double> range;  ///< sigma of values, in the image's numbers; none: 10 % of full scale
  std::optional<Index> radius;  ///< of the window, pixels, 1 to 100; none: 2 sigma, rounded
};

/// result(p) = sum over q of w(p, q) image(q) / sum of w, over the pixels q of the disc |q - p| <= radius, with
/// w = exp(-|q - p|^2 / (2 sigma^2) - d^2 / (2 range^2)) and d the sum over the colors of |image(q) - image(p)|. All
/// channels of a pixel have one weight; alpha is averaged by it and has no part in d. Volumes slice by slice.
///
/// Units     sigma and radius in pixels, range in the image's numbers
/// Accuracy  2e-5, and 1.2e-7 for each pixel of the disc, of the mean of |image(q) - image(p)| under the weights;
///           integers are rounded to the nearest from that.
///           Where all pixels of a window are equal nothing changes. What is not finite spreads over its window.
/// Throws    ValueError (sigma, range, radius); output: Unsupported for complex images
/// Source    C. Tomasi and R. Manduchi, Bilateral filtering for gray and color images, ICCV 1998, 839. It is OpenCV's
///           bilateralFilter with d = 2 radius + 1, sigmaColor = range and sigmaSpace = sigma.
std::unique_ptr<Filter> make_bilateral(const BilateralOptions& options);

}  // namespace whorl
