#include "recon/lambda/slice_lambda.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whorl::recon {

double slice_lambda(const Context& ctx, const RegularizedModel<float>& model, const ScanFrame& frame,
                    const LambdaSearchOptions& options, std::vector<SliceLambda>& lambdas, StageClock& clock) {
  const auto found = std::find_if(lambdas.begin(), lambdas.end(),
                                  [&](const SliceLambda& of) { return of.slice == frame.index.slice; });
  if (found != lambdas.end()) return found->choice.lambda;
  lambdas.push_back({frame.index.slice, clock.time("choice of lambda", [&] {
                       return choose_lambda<float>(ctx, model, frame.data, options);
                     })});
  return lambdas.back().choice.lambda;
}

void note_lambdas(const std::vector<SliceLambda>& lambdas, std::vector<std::string>& notes) {
  if (lambdas.empty()) return;
  const LambdaChoice& first = lambdas.front().choice;
  notes.push_back(fmt::format("{}; {} lambda were tried in {} iterations.", first.reason, first.curve.points.size(),
                              first.curve.iterations));
  if (lambdas.size() == 1) return;
  const auto [least, most] =
      std::minmax_element(lambdas.begin(), lambdas.end(),
                          [](const SliceLambda& a, const SliceLambda& b) { return a.choice.lambda < b.choice.lambda; });
  notes.push_back(
      fmt::format("Lambda of {} slices: {:.2e} to {:.2e}.", lambdas.size(), least->choice.lambda, most->choice.lambda));
}

}  // namespace whorl::recon
