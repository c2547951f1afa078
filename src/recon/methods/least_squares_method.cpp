#include "recon/methods/least_squares_method.hpp"

#include "recon/quality/certify_frame.hpp"
#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

// Prewhitened here or before.
bool has_noise_of_one(const ReconOptions& options) { return options.prewhiten || options.noise == 1; }

void check_lambda_search(const ReconOptions& options) {
  if (!options.cg_sense.lambda_search) return;
  const LambdaMethod method = options.cg_sense.lambda_search->method;
  if (method == LambdaMethod::discrepancy && !has_noise_of_one(options)) {
    throw ValueError(
        "reconstruction: lambda by the discrepancy principle needs the level of the noise, which only prewhitened data "
        "have; prewhiten, or use gcv");
  }
  if (method == LambdaMethod::spectrum &&
      (!has_noise_of_one(options) || options.cg_sense.penalty != PenaltyKind::tikhonov)) {
    throw ValueError(
        "reconstruction: lambda by the power spectrum is Tikhonov's, and needs the level of the noise, which only "
        "prewhitened data have; use gcv, or a number");
  }
}

}  // namespace

void LeastSquaresMethod::check(const Scan& /*scan*/, const ReconOptions& options) {
  check_lambda_search(options);
  check_penalty(options);
  check_regularizers(options);
  check_certificate(options);
}

Tiles LeastSquaresMethod::may_spill(const SpillCase& of) {
  if (of.on_host) return {.maps = true, .files = of.nufft};
  // A GPU spreads one or two coils of an image in the plane in another order than more, and least squares amplifies rounding.
  return {.maps = of.nufft && !of.error_bars,
          .single = of.nufft && of.dim == 3 && !of.error_bars,
          .spectrum = of.nufft && of.options.normal != NormalMethod::pair && of.makes_normal()};
}

void LeastSquaresMethod::certify_slice(const FrameGroup& group) {
  const ScanFrame& frame = group.frames.front();
  if (at_.options.certified_samples == 0 || &frame != &at_.first_of_slice(group.first) ||
      !certified_.insert(frame.index.slice).second) {
    return;
  }
  apply_together(
      at_.run.ctx, at_.share.team(), [&] { return std::vector{at_.part_of(frame, false)}; },
      [&](const std::vector<Operator<float>>& encodings) {
        at_.result.certificates.push_back(certify_frame(at_.run, at_.scan, frame, encodings.front(), at_.maps,
                                                        at_.images.of(group.first), at_.options));
      });
}

void LeastSquaresMethod::solve_regularized(const FrameGroup& group, const std::string& title,
                                           const SeriesProblem& problem, const SliceWeights& weights) {
  const RegularizedImages found =
      regularized_images(at_.run, title, problem, group, at_.options, weights, at_.finished, at_.images.of(group));
  at_.result.reports.insert(at_.result.reports.end(), static_cast<std::size_t>(group.images.count()), found.report);
  put_parts(at_.run.ctx.host(), found.parts, group.images.first, count_of_images(at_.scan, at_.options),
            at_.result.parts);
  at_.error_bars.add_regularized(group.images.first, found.noise);
}

}  // namespace whorl::recon
