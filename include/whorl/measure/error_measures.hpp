// How far an image is from the truth: mean square error, PSNR, SNR and percent error.
#pragma once

#include <complex>
#include <optional>

#include "whorl/core/context.hpp"
#include "whorl/measure/measured_set.hpp"

namespace whorl {

/// With a the image, b the truth, n the number of pixels that count and sums over these:
struct ErrorMeasures {
  double mse = 0;            ///< sum |a - b|^2 / n, in the square of the images' unit
  double psnr_db = 0;        ///< 10 log10(peak^2 / mse)
  double snr_db = 0;         ///< 10 log10(sum |b|^2 / sum |a - b|^2)
  double percent_error = 0;  ///< 100 sqrt(sum |a - b|^2 / sum |b|^2): root-mean-square error over that of the truth
};

/// The largest |value| of the pixels that count. Throws as error_measures.
template <class T>
double peak_of(const Context& ctx, ArrayRef<const T> truth, MeasuredSet set = all_pixels());

/// Measures an image against the truth, nothing scaled. The difference of complex images is complex. Equal images have
/// mse and percent_error 0 and infinite psnr_db and snr_db.
///
/// T        float, double, std::complex<float>, std::complex<double>
/// Shapes   image and truth equal, of any rank; set as MeasuredSet
/// Units    those of the images, which must agree; peak: none: peak_of(truth)
/// Accuracy sums in double
/// Throws   ShapeError; ValueError (a pixel that is not finite, no pixel that counts, a truth that is 0 in all of them,
///          a peak that is not positive)
template <class T>
ErrorMeasures error_measures(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth,
                             MeasuredSet set = all_pixels(), std::optional<double> peak = {});

}  // namespace whorl
