// What a least squares image shows of an object when there is no noise.
#pragma once

#include <complex>
#include <string>

#include "whorl/recon/least_squares.hpp"

namespace whorl {

/// image = H^-1 (A^H A / s) object: the mean over the noise of the image of data A object and noise. What it lacks of
/// the object is the bias that the penalty, and what the encoding does not see, leave.
///
/// Shapes    object and image A.domain()
/// Progress  as solve_regularized_normal
/// Throws    as solve_regularized_normal
template <class Real>
SolverReport expected_image(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                            const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> object,
                            ArrayRef<std::complex<Real>> image);

}  // namespace whorl
