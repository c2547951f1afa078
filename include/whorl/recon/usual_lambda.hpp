// The weight of the penalty where the caller gives none.
#pragma once

#include "whorl/recon/options.hpp"

namespace WHORL_PUBLIC whorl {

/// Lambda of a penalty on differences: noise and edges alone have any, so that it takes more than of values.
inline constexpr double usual_lambda_of_differences = 0.1;

/// Sets lambda: 0 beside regularizers, usual_lambda_of_differences for smoothness, for a prior that which cross-validation (gcv)
/// chooses, since its best weight spans decades with the noise, and for a penalty of values that which the spectrum of prewhitened data tells. Others keep that of the options: data that are not prewhitened, samples
/// with weights of their own, and frames that are coefficients (`is_subspace`).
void use_usual_lambda(ReconOptions& options, bool has_sample_weights, bool is_subspace);

}  // namespace whorl
