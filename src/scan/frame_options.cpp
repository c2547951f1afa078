#include "whorl/scan/frame_options.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {

template <>
const OptionTable<FrameOptions>& option_table<FrameOptions>() {
  using Frames = FrameOptions;
  static const OptionTable<Frames> table =
      OptionTable<Frames>("frames")
          .group("Frames")
          .list(
              "frames-by", &Frames::by, 1, 4, {}, "",
              "Which counters of the scan tell the frames of a slice apart: some of these; none joins all readouts of "
              "a slice (default: all)",
              {"contrast", "phase", "repetition", "set", "all", "none"})
          .integer("spokes-per-frame", &Frames::readouts, OptionRange::at_least(0), "",
                   "Cut each frame into frames of this many readouts (0: no)")
          .integer("frame-step", &Frames::step, OptionRange::at_least(0), "readouts",
                   "Readouts from the start of a frame to the start of the next; fewer than a frame has make frames "
                   "overlap (0: as many)")
          .when("--spokes-per-frame", [](const Frames& options) { return options.readouts > 0; })
          .real("readout-interval", &Frames::readout_interval_ms, OptionRange::at_least(0), "ms",
                "Time from one readout to the next (0: the repetition time of the scan)")
          .part(&Frames::gating, {{"bins", "gate"}, {"by", "gate-by"}, {"soft", "soft-gate"}, {"band", "gate-band"}});
  return table;
}

namespace {

// Weights of all readouts, in the order of the frames.
Array<double> soft_weights(const Context& ctx, const Scan& scan, const GatingOptions& gating) {
  std::vector<double> weights;
  for (const ScanFrame& frame : scan.frames) {
    const std::vector<double> own = gating_weights(gating_signal(ctx, scan, frame, gating), gating.soft);
    weights.insert(weights.end(), own.begin(), own.end());
  }
  Array<double> made(ctx.host(), {static_cast<Index>(weights.size())});
  std::copy(weights.begin(), weights.end(), made.data());
  return made;
}

}  // namespace

GatedScan make_frames(const Context& ctx, Scan scan, const FrameOptions& options) {
  check_options(options);
  if (options.gating.bins > 0 && options.readouts > 0) {
    throw ValueError("frames: gating and a number of readouts for each frame exclude each other; leave one out");
  }
  if (options.gating.bins > 0 && options.gating.soft > 0) {
    throw ValueError("gating: frames for each part of the motion and weights by it exclude each other; leave one out");
  }
  if ((options.gating.bins > 0 || options.gating.soft > 0) && scan.coils == 0) {
    throw ValueError("gating: the scan is a trajectory without data; gate a measured scan");
  }
  if (scan.sample_weights.size() > 0 && (options.any() || options.gating.soft > 0)) {
    throw ValueError(
        "frames: the scan has sample weights, which belong to its frames as they are; set them afterwards");
  }
  if (options.readout_interval_ms > 0) scan.readout_interval_ms = options.readout_interval_ms;
  if (!options.by.empty()) {
    scan = join_frames(ctx, std::move(scan), frame_counters(options.by));
  } else if (options.gating.bins > 0) {
    scan = join_frames(ctx, std::move(scan), {});
  }
  if (options.gating.bins > 0) return gate(ctx, std::move(scan), options.gating);
  if (options.readouts > 0) scan = split_frames(ctx, std::move(scan), options.readouts, options.step);
  if (options.gating.soft > 0) scan.sample_weights = soft_weights(ctx, scan, options.gating);
  return {std::move(scan), {}, {}};
}

}  // namespace whorl
