// Scan (scan/scan.hpp): a measurement, or the plan of one: frames of samples with their trajectory, weights and
// geometry. io reads and writes it; everything that computes with it includes only scan. A scan without data is a
// trajectory, so traj, density, phantom and recon pass on the same type.
#include "whorl/scan/scan.hpp"

namespace whorl {

Index Scan::samples() const {
  Index all = 0;
  for (const ScanFrame& frame : frames) all += frame.trajectory->samples();
  return all;
}

Scan clone_without_frames(const Context& ctx, const Scan& scan) {
  const Context host = ctx.host();
  return {.source = scan.source,
          .system = scan.system,
          .matrix = scan.matrix,
          .coils = scan.coils,
          .trajectory_kind = scan.trajectory_kind,
          .trajectory_unit = scan.trajectory_unit,
          .noise = clone(host, scan.noise),
          .noise_dwell_us = scan.noise_dwell_us,
          .dwell_us = scan.dwell_us,
          .readout_interval_ms = scan.readout_interval_ms,
          .frame_interval_ms = scan.frame_interval_ms,
          .readout_start_us = scan.readout_start_us,
          .echo_times_ms = scan.echo_times_ms,
          .coil_maps = clone(host, scan.coil_maps),
          .frames = {},
          .sample_weights = clone(host, scan.sample_weights),
          .notes = scan.notes};
}

Scan clone(const Context& ctx, const Scan& scan) {
  const Context host = ctx.host();
  Scan copy = clone_without_frames(ctx, scan);
  for (const ScanFrame& frame : scan.frames) {
    copy.frames.push_back({frame.index, frame.trajectory, frame.weights, clone(host, frame.data), frame.geometry});
  }
  return copy;
}

}  // namespace whorl
