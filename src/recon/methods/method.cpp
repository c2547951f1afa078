#include "recon/methods/method.hpp"

#include "recon/quality/certify_frame.hpp"

namespace whorl::recon {

void Method::certify_slice(const FrameGroup& group) {
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

void Method::solve_regularized(const FrameGroup& group, const std::string& title, const SeriesProblem& problem,
                               const SliceWeights& weights) {
  const RegularizedImages found =
      regularized_images(at_.run, title, problem, group, at_.options, weights, at_.finished, at_.images.of(group));
  at_.result.reports.insert(at_.result.reports.end(), static_cast<std::size_t>(group.images.count()), found.report);
  put_parts(at_.run.ctx.host(), found.parts, group.images.first, count_of_images(at_.scan, at_.options),
            at_.result.parts);
  at_.error_bars.add_regularized(group.images.first, found.noise);
}

const MethodEntry& method_of(const ReconOptions& options) {
  if (options.subspace != nullptr) return subspace_method;
  switch (options.method) {
    case ReconMethod::gridding:
      return gridding_method;
    case ReconMethod::nlinv:
      return nlinv_method;
    case ReconMethod::cg_sense:
      break;
  }
  return options.regularizers.empty() ? cg_sense_method : regularized_method;
}

}  // namespace whorl::recon
