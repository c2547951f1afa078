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

const MethodEntry& method_of(const ReconOptions& options) {
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
