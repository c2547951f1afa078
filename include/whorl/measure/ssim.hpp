// Structural similarity.
#pragma once

#include <complex>
#include <optional>

#include "whorl/core/context.hpp"
#include "whorl/measure/measured_set.hpp"

namespace WHORL_PUBLIC whorl {

struct SsimOptions {
  int dim = 2;                    ///< 2: windows in each [y, x]; 3: windows in each [z, y, x]
  std::optional<double> range{};  ///< L; none: the largest |value| of the truth among the pixels that count
};

/// Mean structural similarity of the image x and the truth y: the mean over all positions of the window of
///
///   (2 mx my + C1) (2 sxy + C2) / ((mx^2 + my^2 + C1) (sx^2 + sy^2 + C2)),   C1 = (0.01 L)^2,   C2 = (0.03 L)^2,
///
/// with means m, variances s^2 and covariance sxy weighted by a Gaussian of standard deviation 1.5 pixels on 11 pixels
/// per side, sum 1. As in the authors' program the window always lies within the image. So the outermost 5 pixels are
/// not centers of a window, but count in the windows of others. A mask selects windows by their center pixels. All
/// images of an array share one L. Real images are compared with their signs, complex images by their magnitudes.
///
/// L is the range of the pixel values in the authors' definition (255 for 8 bits). MR images have no fixed range; by
/// default L is the largest magnitude of the truth. Values of other programs agree only for the same L.
///
/// T        float, double, std::complex<float>, std::complex<double>
/// Shapes   image and truth equal [..., (z,) y, x], at least 11 pixels along each axis of the window; set as in
///          error_measures
/// Accuracy sums in double
/// Memory   eleven slices of five moments in double
/// Throws   ShapeError; ValueError (a pixel that is not finite, no pixel that counts, L not positive, dim not 2 or 3)
/// Source   Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural
///          similarity", IEEE Trans Image Process 13:600 (2004), equations 13 to 17
template <Number T>
WHORL_PUBLIC double ssim(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth,
                         MeasuredSet set = all_pixels(), const SsimOptions& options = {});

}  // namespace whorl
