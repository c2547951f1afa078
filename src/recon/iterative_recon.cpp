#include "recon/iterative_recon.hpp"

#include "recon/encoding/coil_encoding.hpp"
#include "recon/lambda/slice_lambda.hpp"
#include "whorl/recon/least_squares.hpp"

namespace whorl::recon {

SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      const LinearOperator<float>& transform, const SliceModel& slice, const ReconOptions& options,
                      StageClock& clock, ArrayRef<std::complex<float>> image, const ModelUse& use_model) {
  const CoilEncoding encoding(transform, slice.maps);
  if (options.lambda == 0 && !options.lambda_search) {
    slice.eigenvalue = 1;  // the unit of lambda alone depends on it
  } else if (slice.eigenvalue == 0) {
    slice.eigenvalue = clock.time("largest eigenvalue", [&] { return normal_eigenvalue<float>(ctx, encoding.get()); });
  }
  const RegularizedModel<float> model{encoding.get(), slice.eigenvalue, slice.penalty};
  const double lambda = options.lambda_search
                            ? slice_lambda(ctx, model, frame, *options.lambda_search, slice.lambdas, clock)
                            : options.lambda;
  SolverReport report = clock.time("conjugate gradient", [&] {
    return least_squares<float>(ctx, title, model, frame.data,
                                {.iterations = options.iterations, .tolerance = options.tolerance, .lambda = lambda},
                                image);
  });
  use_model(model, lambda);
  return report;
}

}  // namespace whorl::recon
