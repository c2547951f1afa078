// Regularized least squares from a start, watched.
#pragma once

#include <complex>
#include <string>

#include "whorl/recon/least_squares.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace WHORL_PUBLIC whorl {

/// The least squares image (least_squares.hpp), starting from the given x. `callback` is called after each iteration.
///
/// Shapes    data A.range(), x A.domain()
/// Progress  one stage of the title, one step per iteration
/// Throws    as solve_regularized_normal
template <Precision Real>
WHORL_PUBLIC SolverReport least_squares_from(const Context& ctx, const std::string& title,
                                             const RegularizedModel<Real>& model,
                                             ArrayRef<const std::complex<Real>> data,
                                             const LeastSquaresOptions& options, ConvertedRef<std::complex<Real>> x,
                                             const IterationCallback& callback = {});

}  // namespace whorl
