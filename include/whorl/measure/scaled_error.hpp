// The error of an image against the truth, independent of its scale.
#pragma once

#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/measure/measured_set.hpp"

namespace WHORL_PUBLIC whorl {

/// min over s of |s a - b| / |b|, for the image a and the truth b.
struct ScaledError {
  std::complex<double> scale;  ///< the best s = sum conj(a) b / sum |a|^2; 0 for an image of zeros
  double nrmse = 0;            ///< 0 to 1
};

/// The error after the best scaling: by a complex factor for complex images, which removes a common phase, and by a
/// real factor for real images.
///
/// T        float, double, std::complex<float>, std::complex<double>
/// Shapes   image and truth equal, of any rank; set as MeasuredSet
/// Accuracy sums in double
/// Throws   as error_measures
template <Number T>
WHORL_PUBLIC ScaledError scaled_error(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth,
                                      MeasuredSet set = all_pixels());

/// |image| as a real image.
template <Precision Real>
WHORL_PUBLIC Array<Real> magnitude(const Context& ctx, ArrayRef<const std::complex<Real>> image);

}  // namespace whorl
