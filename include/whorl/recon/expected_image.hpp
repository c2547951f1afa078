// The noise-free least squares image of an object.
#pragma once

#include <complex>
#include <string>

#include "whorl/recon/least_squares.hpp"

namespace WHORL_PUBLIC whorl {

/// image = H^-1 (A^H A / s) object: the least squares image of the data A object, averaged over the noise. Its
/// difference from the object is the bias, which comes from the penalty and from unsampled parts of k-space.
///
/// Shapes    object and image A.domain()
/// Progress  as solve_regularized_normal
/// Throws    as solve_regularized_normal
template <Precision Real>
WHORL_PUBLIC SolverReport expected_image(const Context& ctx, const std::string& title,
                                         const RegularizedModel<Real>& model, const LeastSquaresOptions& options,
                                         ArrayRef<const std::complex<Real>> object,
                                         ConvertedRef<std::complex<Real>> image);

}  // namespace whorl
