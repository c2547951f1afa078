#include "recon/joined/joined_memory.hpp"

#include <algorithm>
#include <set>

#include "calib/coil_map_memory.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/joined/check_joined.hpp"
#include "recon/prepare.hpp"
#include "whorl/correct/align_scan.hpp"

namespace whorl::recon {

namespace {

// The region of one scan, and what it is found from.
Index region_bytes(const Context& ctx, const PlannedScan& of, const Shape& image) {
  if (!joins_frames(of.scan, of.largest, of.options)) {
    return calibration_memory(ctx, image, of.largest, of.coils, of.options);
  }
  const ScanFrame joined{of.largest.index, joined_trajectory(ctx, of.scan, of.largest, of.options), nullptr, {}, {}};
  const Index samples = joined.trajectory->samples();
  return of.coils * samples * complex_bytes + joined.trajectory->points.size() * static_cast<Index>(sizeof(double)) +
         calibration_memory(ctx, image, joined, of.coils, of.options);
}

}  // namespace

std::vector<PlannedScan> planned_scans(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  std::vector<PlannedScan> scans;
  scans.push_back({scan, options, largest_frame(ctx, scan, options), coils_used(scan, options)});
  for (const JointScan& one : options.joint) {
    const ReconOptions own = options_of(options, one);
    scans.push_back({*one.scan, own, largest_frame(ctx, *one.scan, own), coils_used(*one.scan, own)});
  }
  return scans;
}

std::vector<std::vector<const Trajectory*>> trajectories_of_frames(const std::vector<PlannedScan>& scans) {
  const Scan& first = scans.front().scan;
  std::vector<std::vector<const Trajectory*>> all;
  for (const ScanFrame& frame : first.frames) all.push_back({frame.trajectory.get()});
  for (std::size_t s = 1; s < scans.size(); ++s) {
    const Scan& scan = scans[s].scan;
    const std::vector<std::size_t> order = order_of_frames(first, scan);
    for (std::size_t f = 0; f < order.size(); ++f) all[f].push_back(scan.frames[order[f]].trajectory.get());
  }
  return all;
}

void hold_joined_copies(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans) {
  if (ctx.device().kind != DeviceKind::cpu) return;
  for (std::size_t s = 1; s < scans.size(); ++s) {
    const Scan& scan = scans[s].scan;
    plan.hold((scan.coils * scan.samples() + scan.noise.size() + scan.coil_maps.size()) * complex_bytes);
  }
}

void add_joined_preparation(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans,
                            const std::vector<std::vector<const Trajectory*>>& trajectories, const Tiles& tiles) {
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  Index frame = 0;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    frame += scans[s].data_bytes();
    if (s > 0) add_preparation(plan, ctx, scans[s].scan, scans[s].options, tiles);
  }
  plan.use(frame);
  if (!on_host) return;
  // Positions of the frames that are joined, each set once.
  for (const auto& each : std::set(trajectories.begin(), trajectories.end())) {
    for (const Trajectory* one : each) plan.hold(one->points.size() * static_cast<Index>(sizeof(double)));
  }
}

void add_joined_coil_maps(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans) {
  const Shape image = scans.front().scan.image_shape();
  const ReconOptions& options = scans.front().options;
  Index coils = 0;
  for (const PlannedScan& one : scans) coils += one.coils;
  const Index maps = coils * image.size() * complex_bytes;
  if (options.coil_maps == CoilMapMethod::file) {
    // The maps of each scan, of all, and of all scaled.
    plan.use(3 * maps, stages::coil_maps);
    return plan.hold(maps);
  }
  const Shape region = calibration_shape(image, options.calibration).with_front(coils);
  const Index voxels = region.tail().size();
  Index before = 0;
  Index most = 0;
  for (const PlannedScan& one : scans) {
    most = std::max(most, before + region_bytes(ctx, one, image));
    before += one.coils * voxels * complex_bytes;
  }
  const Index espirit = detail::espirit_memory<float>(ctx, region, image, options.espirit, detail::MapPlace::device);
  plan.use(std::max(most, 2 * before + espirit), stages::coil_maps);
  plan.hold(maps);
}

}  // namespace whorl::recon
