#include "recon/memory_needs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "recon/frame_groups.hpp"

namespace whorl::recon {

ScanFrame joined_slice(const Context& ctx, const Scan& scan, int slice) {
  const std::vector<const ScanFrame*> frames = frames_of_slices(scan).at(slice);
  Trajectories all;
  for (const ScanFrame* frame : frames) all.push_back(frame->trajectory);
  return {frames.front()->index, one_after_another(ctx, all), nullptr, {}, frames.front()->geometry};
}

ScanFrame largest_frame(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (options.subspace != nullptr) {
    const auto slices = frames_of_slices(scan);
    const auto samples = [](const auto& slice) {
      return std::accumulate(slice.second.begin(), slice.second.end(), Index{0},
                             [](Index sum, const ScanFrame* frame) { return sum + frame->trajectory->samples(); });
    };
    return joined_slice(ctx, scan, std::ranges::max_element(slices, {}, samples)->first);
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
