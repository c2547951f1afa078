// Bilateral filter: each pixel becomes the mean of the neighbors whose values are close to its own.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct BilateralOptions : BorderOptions {
  double sigma = 3;             ///< of the weight by distance, pixels, 0.1 to 50
  std::optional<double> range;  ///< sigma of the weight by difference, in the image's numbers; none: 10 % of full scale
  std::optional<Index> radius;  ///< of the window, pixels, 1 to 100; none: 2 sigma, rounded
};

/// result(p) = sum over q of w(p, q) image(q) / sum of w, over the pixels q of the disc |q - p| <= radius, with
/// w = exp(-|q - p|^2 / (2 sigma^2) - d^2 / (2 range^2)) and d the sum over the colors of |image(q) - image(p)|. All
/// channels of a pixel have one weight; alpha is averaged with it and does not count in d. Volumes slice by slice.
///
/// Units     sigma and radius in pixels, range in the image's numbers
/// Accuracy  2e-5 + 1.2e-7 per pixel of the disc, times the weighted mean of |image(q) - image(p)|; integers are then
///           rounded to the nearest. A window of equal pixels stays as it is. Numbers that are not finite spread over
///           their window.
/// Throws    ValueError (sigma, range, radius); output: Unsupported for complex images
/// Source    C. Tomasi and R. Manduchi, Bilateral filtering for gray and color images, ICCV 1998, 839. It is OpenCV's
///           bilateralFilter with d = 2 radius + 1, sigmaColor = range and sigmaSpace = sigma.
std::unique_ptr<Filter> make_bilateral(const BilateralOptions& options);

}  // namespace whorl
