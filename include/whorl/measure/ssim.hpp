// Structural similarity.
#pragma once

#include <complex>
#include <optional>

#include "whorl/core/context.hpp"
#include "whorl/measure/measured_set.hpp"

namespace whorl {

struct SsimOptions {
  int dim = 2;                    ///< 2: every [y, x] for itself; 3: windows that reach along z, every [z, y, x]
  std::optional<double> range{};  ///< L; none: the largest |value| of the truth among the pixels that count
};

/// Mean structural similarity: of the image x and the truth y, the mean over all places of the window of
///
///   (2 mx my + C1) (2 sxy + C2) / ((mx^2 + my^2 + C1) (sx^2 + sy^2 + C2)),   C1 = (0.01 L)^2,   C2 = (0.03 L)^2,
///
/// with means m, variances s^2 and covariance sxy weighted by a Gaussian of standard deviation 1.5 pixels on 11 pixels
/// a side, sum 1. As in the authors' program the window lies within the image everywhere, so that the outermost 5
/// pixels count for their neighbors but have no value of their own; a pixel counts by the window that it is the center
/// of. One L holds for all images of an array. Real images are compared with their signs, complex ones by their
/// magnitudes.
///
/// L is the authors' range of the pixel values (255 for 8 bits). The images of MR have no fixed range; that L is the
/// truth's largest magnitude is a choice, so that numbers of other programs agree only where their L does.
///
/// T        float, double, std::complex<float>, std::complex<double>
/// Shapes   image and truth equal [..., (z,) y, x], at least 11 pixels along each axis of the window; set as that of
///          error_measures
/// Accuracy sums in double
/// Memory   eleven slices of five moments in double
/// Throws   ShapeError; ValueError (a pixel that is not finite, no pixel that counts, L not positive, dim not 2 or 3)
/// Source   Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural
///          similarity", IEEE Trans Image Process 13:600 (2004), equations 13 to 17
template <class T>
double ssim(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set = all_pixels(),
            const SsimOptions& options = {});

}  // namespace whorl
