// The weight of the penalty where the caller gives none.
#pragma once

#include "whorl/recon/options.hpp"

namespace WHORL_PUBLIC whorl {

/// Lambda of a penalty on differences: noise and edges alone have any, so that it takes more than of values.
inline constexpr double usual_lambda_of_differences = 0.1;

/// Sets lambda, by what the options hold the image to:
///
///   regularizers  0
///   smoothness    usual_lambda_of_differences
///   prior         what cross-validation (gcv) chooses, since the best weight spans decades with the noise; samples with weights
///                 of their own, of which no lambda is chosen, take usual_lambda_of_differences
///   tikhonov      what the spectrum of prewhitened data tells; data that are not prewhitened, samples with weights and frames
///                 that are coefficients (`is_subspace`) keep that of the options
void use_usual_lambda(ReconOptions& options, bool has_sample_weights, bool is_subspace);

}  // namespace whorl
