#include "recon/subspace/slice_frames.hpp"

#include <algorithm>
#include <utility>

#include "recon/frame_groups.hpp"

namespace whorl::recon {

std::vector<SliceFrames> frames_of_slices(const Scan& scan) {
  std::vector<SliceFrames> slices;
  for (const std::size_t number : order_by_slice(scan)) {
    const ScanFrame& frame = scan.frames[number];
    if (slices.empty() || slices.back().frames.front()->index.slice != frame.index.slice) slices.emplace_back();
    slices.back().add(frame);
  }
  return slices;
}

Array<double> joined_points(const Context& ctx, const SliceFrames& slice) {
  const Index dim = slice.frames.front()->trajectory->dim();
  Array<double> points(ctx.host(), {slice.samples, dim});
  double* to = points.data();
  for (const ScanFrame* frame : slice.frames) {
    to = std::copy_n(frame->trajectory->points.data(), frame->trajectory->points.size(), to);
  }
  return points;
}

NufftOptions pair_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options) {
  NufftOptions nufft = options.nufft;
  nufft.normal = NormalMethod::pair;
  return same_on_every_device<float>(ctx, image, samples, nufft);
}

ReconOptions with_all_frames(ReconOptions options) {
  options.maps_from = CoilMapData::all_frames;
  options.signal = {};
  return options;
}

}  // namespace whorl::recon
