#include "whorl/recon/usual_lambda.hpp"

namespace whorl {

void use_usual_lambda(ReconOptions& options, bool has_sample_weights, bool is_subspace) {
  if (!options.regularized.terms.empty()) {
    options.cg_sense.lambda = 0;
  } else if (options.cg_sense.penalty == PenaltyKind::prior && !has_sample_weights) {
    options.cg_sense.lambda_search = LambdaSearchOptions{.method = LambdaMethod::gcv};
  } else if (options.cg_sense.penalty != PenaltyKind::tikhonov) {
    options.cg_sense.lambda = usual_lambda_of_differences;
  } else if (options.prewhiten && !has_sample_weights && !is_subspace) {
    options.cg_sense.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum};
  }
}

}  // namespace whorl
