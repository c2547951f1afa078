#include "recon/encoding/calibration_frame.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "calib/channels.hpp"
#include "recon/encoding/calibrate.hpp"

namespace whorl::recon {

namespace {

// The samples of a frame that count.
std::vector<Index> counted(const Context& ctx, const Scan& scan, const ScanFrame& frame, const ReconOptions& options) {
  if (options.coil_maps == CoilMapMethod::espirit) {
    return calibration_samples(ctx.host(), frame, scan.image_shape(), options.calibration);
  }
  std::vector<Index> all(static_cast<std::size_t>(frame.trajectory->samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

template <class Work>
void for_frames_of_slice(const Scan& scan, const ScanFrame& of, const Work& work) {
  for (const ScanFrame& frame : scan.frames) {
    if (frame.index.slice == of.index.slice) work(frame);
  }
}

}  // namespace

bool joins_frames(const Scan& scan, const ScanFrame& frame, const ReconOptions& options) {
  if (options.maps_from != CoilMapData::all_frames || options.coil_maps == CoilMapMethod::file) return false;
  int frames = 0;
  for_frames_of_slice(scan, frame, [&](const ScanFrame&) { ++frames; });
  return frames > 1;
}

std::shared_ptr<const Trajectory> joined_trajectory(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                                    const ReconOptions& options) {
  std::vector<double> points;
  const Index length = frame.trajectory->readout_length;
  bool whole = options.coil_maps != CoilMapMethod::espirit;
  for_frames_of_slice(scan, frame, [&](const ScanFrame& one) {
    const auto k = one.trajectory->points.view<2>();
    for (const Index sample : counted(ctx, scan, one, options)) {
      for (Index axis = 0; axis < k.extent(1); ++axis) points.push_back(k(sample, axis));
    }
    whole = whole && one.trajectory->readout_length == length;
  });
  auto joined = std::make_shared<Trajectory>();
  const Index dim = frame.trajectory->dim();
  joined->points = Array<double>(ctx.host(), {static_cast<Index>(points.size()) / dim, dim});
  std::copy(points.begin(), points.end(), joined->points.data());
  joined->readout_length = whole ? length : 0;
  return joined;
}

ScanFrame joined_frame(const Context& ctx, const Scan& scan, const ScanFrame& frame, const ReconOptions& options) {
  using Complex = std::complex<float>;
  ScanFrame joined{frame.index, joined_trajectory(ctx, scan, frame, options), nullptr, {}, frame.geometry};
  // Where the data lie; data on the host are copied to the device joined.
  const Context host = ctx.host();
  const Context& there = frame.data.device() == ctx.device() ? ctx : host;
  joined.data = Array<Complex>(there, {scan.coils, joined.trajectory->samples()});
  Index start = 0;
  for_frames_of_slice(scan, frame, [&](const ScanFrame& one) {
    const std::vector<Index> samples = counted(ctx, scan, one, options);
    if (samples.empty()) return;
    const Array<Complex> part = detail::take_samples<float>(there, one.data, samples);
    const Index count = part.extent(1);
    for (Index coil = 0; coil < scan.coils; ++coil) {
      copy<Complex>(there, part.slice(coil),
                    ArrayRef<Complex>(joined.data.slice(coil).data() + start, {count}, joined.data.device()));
    }
    start += count;
  });
  if (joined.data.device() != ctx.device()) joined.data = clone<Complex>(ctx, joined.data);
  return joined;
}

}  // namespace whorl::recon
