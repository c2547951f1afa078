#include "recon/memory_needs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace whorl::recon {

ScanFrame joined_slice(const Context& ctx, const Scan& scan, int slice) {
  std::vector<const ScanFrame*> frames;
  Index samples = 0;
  for (const ScanFrame& frame : scan.frames) {
    if (frame.index.slice != slice) continue;
    frames.push_back(&frame);
    samples += frame.trajectory->samples();
  }
  const ScanFrame& first = *frames.front();
  auto all = std::make_shared<Trajectory>();
  all->points = Array<double>(ctx.host(), {samples, first.trajectory->dim()});
  double* to = all->points.data();
  for (const ScanFrame* frame : frames) {
    const Array<double>& points = frame->trajectory->points;
    to = std::copy_n(points.data(), points.size(), to);
  }
  return {first.index, std::move(all), nullptr, {}, first.geometry};
}

ScanFrame largest_frame(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (options.subspace != nullptr) {
    std::map<int, Index> slices;
    for (const ScanFrame& frame : scan.frames) slices[frame.index.slice] += frame.trajectory->samples();
    return joined_slice(ctx, scan, std::ranges::max_element(slices, {}, &std::pair<const int, Index>::second)->first);
  }
  const ScanFrame& largest =
      *std::ranges::max_element(scan.frames, {}, [](const ScanFrame& frame) { return frame.trajectory->samples(); });
  return {largest.index, largest.trajectory, largest.weights, {}, largest.geometry};
}

ReconOptions working_options(ReconOptions options, const Tiles& tiles) {
  if (tiles.pair) options.normal = NormalMethod::pair;
  if (options.subspace == nullptr) return options;
  options.maps_from = CoilMapData::all_frames;
  options.normal = NormalMethod::pair;
  options.signal = {};
  return options;
}

Index usable_memory(const Context& ctx) {
  const auto limit = static_cast<Index>(ctx.pool().limit());
  return limit - limit / 10;
}

Index room_for_solver(const Context& ctx) {
  if (ctx.device().kind == DeviceKind::cpu) return std::numeric_limits<Index>::max();
  return static_cast<Index>(ctx.spilled().pool().limit());
}

Index coils_used(const Scan& scan, const ReconOptions& options) {
  return options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
}

}  // namespace whorl::recon
