#include "whorl/correct/undo_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace whorl {

namespace {

constexpr Index most_delay_frames = 5;

using AlikeFrames = std::vector<ScanFrame*>;

bool lie_alike(const ScanFrame& a, const ScanFrame& b) {
  return a.geometry.read_direction == b.geometry.read_direction &&
         a.geometry.phase_direction == b.geometry.phase_direction &&
         a.geometry.slice_direction == b.geometry.slice_direction;
}

void move_frames(const Context& ctx, const AlikeFrames& frames, const GradientDelays& delays) {
  std::map<const Trajectory*, std::shared_ptr<const Trajectory>> moved;
  for (ScanFrame* frame : frames) {
    auto& to = moved[frame->trajectory.get()];
    if (to == nullptr) to = std::make_shared<const Trajectory>(delayed(ctx, *frame->trajectory, delays));
    frame->trajectory = to;
  }
}

}  // namespace

void undo_delays(const Context& ctx, Scan& scan, const GradientDelays& delays) {
  AlikeFrames all;
  for (ScanFrame& frame : scan.frames) all.push_back(&frame);
  move_frames(ctx, all, delays);
}

DelayEstimate estimate_delays(const Context& ctx, const Scan& scan, const ScanFrame& like) {
  std::vector<DelayFrame> alike;
  for (const ScanFrame& frame : scan.frames) {
    if (lie_alike(frame, like)) alike.push_back({frame.trajectory.get(), frame.data});
  }
  const auto count = static_cast<Index>(alike.size());
  const Index used = std::min(count, most_delay_frames);
  std::vector<DelayFrame> some;
  for (Index i = 0; i < used; ++i) some.push_back(alike[static_cast<std::size_t>(i * count / used)]);
  return estimate_delays(ctx, some, scan.image_shape());
}

void undo_estimated_delays(const Context& ctx, Scan& scan) {
  std::vector<AlikeFrames> groups;
  for (ScanFrame& frame : scan.frames) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const AlikeFrames& frames) { return lie_alike(*frames.front(), frame); });
    if (group == groups.end()) {
      groups.push_back({&frame});
    } else {
      group->push_back(&frame);
    }
  }
  for (const AlikeFrames& frames : groups) {
    const DelayEstimate found = estimate_delays(ctx, scan, *frames.front());
    const std::string numbers = text_of(found.delays, scan.dim());
    const int slice = frames.front()->index.slice;
    if (!found.doubt.empty()) {
      scan.notes.emplace_back(fmt::format("Gradient delays: {} samples, estimated from slice {}, were not undone: {}.",
                                          numbers, slice, found.doubt),
                              NoteKind::doubt);
      continue;
    }
    if (!found.is_significant) {
      scan.notes.emplace_back(
          fmt::format("Gradient delays: {} samples, estimated from slice {}, are none but for noise (standard error "
                      "{:.4f}); nothing was undone.",
                      numbers, slice, found.standard_error),
          NoteKind::answer);
      continue;
    }
    move_frames(ctx, frames, found.delays);
    scan.notes.emplace_back(
        fmt::format("Gradient delays ({}): {} samples, estimated from {} samples near the center of k-space of slice "
                    "{}, standard "
                    "error {:.4f}.",
                    scan.dim() == 2 ? "x,y,xy" : "x,y,z,xy,xz,yz", numbers, found.samples, slice, found.standard_error),
        NoteKind::answer);
  }
}

std::string text_of(const GradientDelays& d, int dim) {
  const std::vector<double> numbers =
      dim == 2 ? std::vector{d.x, d.y, d.xy} : std::vector{d.x, d.y, d.z, d.xy, d.xz, d.yz};
  std::string text;
  for (const double number : numbers) {
    const std::string digits = fmt::format("{:.3f}", number);
    text += (text.empty() ? "" : ",") + (digits == "-0.000" ? "0.000" : digits);
  }
  return text;
}

}  // namespace whorl
