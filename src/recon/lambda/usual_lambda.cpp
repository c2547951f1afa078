#include "whorl/recon/usual_lambda.hpp"

namespace whorl {

void use_usual_lambda(ReconOptions& options, bool has_sample_weights, bool is_subspace) {
  if (!options.regularizers.empty()) {
    options.lambda = 0;
  } else if (options.penalty == PenaltyKind::prior && !has_sample_weights) {
    options.lambda_search = LambdaSearchOptions{.method = LambdaMethod::gcv};
  } else if (options.penalty != PenaltyKind::tikhonov) {
    options.lambda = usual_lambda_of_differences;
  } else if (options.prewhiten && !has_sample_weights && !is_subspace) {
    options.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum};
  }
}

}  // namespace whorl
