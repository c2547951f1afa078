// Errors of an image against the truth: mean square error, PSNR, SNR and percent error.
#pragma once

#include <complex>
#include <optional>

#include "whorl/core/context.hpp"
#include "whorl/measure/measured_set.hpp"

namespace WHORL_PUBLIC whorl {

/// For the image a, the truth b and the n pixels that count, with sums over these pixels:
struct ErrorMeasures {
  double mse = 0;            ///< sum |a - b|^2 / n, in the square of the images' unit
  double psnr_db = 0;        ///< 10 log10(peak^2 / mse)
  double snr_db = 0;         ///< 10 log10(sum |b|^2 / sum |a - b|^2)
  double percent_error = 0;  ///< 100 sqrt(sum |a - b|^2 / sum |b|^2)
};

/// The largest |value| of the pixels that count. Throws as error_measures.
template <Number T>
WHORL_PUBLIC double peak_of(const Context& ctx, ArrayRef<const T> truth, MeasuredSet set = all_pixels());

/// Measures the error of an image against the truth, without scaling. The difference of complex images is complex. For
/// equal images mse and percent_error are 0, psnr_db and snr_db infinite.
///
/// T        float, double, std::complex<float>, std::complex<double>
/// Shapes   image and truth equal, of any rank; set as MeasuredSet
/// Units    those of the images, which must agree; peak: in the same unit, default peak_of(truth)
/// Accuracy sums in double
/// Throws   ShapeError; ValueError (a pixel that is not finite, no pixel that counts, a truth that is 0 in all of them,
///          a peak that is not positive)
template <Number T>
WHORL_PUBLIC ErrorMeasures error_measures(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth,
                                          MeasuredSet set = all_pixels(), std::optional<double> peak = {});

}  // namespace whorl
