#include "serve/reconstruct_for.hpp"

#include <utility>
#include <vector>

#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/sample_weights.hpp"

namespace whorl::serve {

Reconstruction reconstruct_for(const Context& ctx, Scan scan, const ReconOptions& options) {
  return reconstruct(ctx, std::move(scan), options);
}

Reconstruction reconstruct_all(
    const Context& ctx, Scan scan, const Request& request,
    const std::function<void(const ImageFrame&, ArrayRef<const std::complex<float>>)>& send) {
  Scan framed = make_frames(ctx.host(), std::move(scan), request.frames).scan;
  ReconOptions options = request.recon;
  if (framed.sample_weights.size() > 0) {
    options.signal.weights = weigh_samples(ctx.host(), framed, clone(ctx.host(), framed.sample_weights));
  }
  std::vector<ImageFrame> frames;
  for (const ScanFrame& frame : framed.frames) frames.push_back({frame.index, frame.geometry});
  std::vector<bool> sent(frames.size(), false);
  options.on_image = [&](Index frame, ArrayRef<const std::complex<float>> image) {
    send(frames[static_cast<std::size_t>(frame)], image);
    sent[static_cast<std::size_t>(frame)] = true;
  };
  Reconstruction made = reconstruct_for(ctx, std::move(framed), options);
  for (std::size_t i = 0; i < made.frames.size(); ++i) {
    if (i >= sent.size() || !sent[i]) send(made.frames[i], made.images.slice(static_cast<Index>(i)));
  }
  return made;
}

}  // namespace whorl::serve
