// Encodings of the frames of a group, and of several scans that are solved together.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "recon/encoding/encoding.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

namespace {

// Coils [first, first + count) of the maps, in the same memory.
Array<Complex> maps_of_coils(const std::shared_ptr<Array<Complex>>& maps, Index first, Index count) {
  const ArrayRef<Complex> some = maps->ref().range(first, first + count);
  return Array<Complex>::adopt(std::shared_ptr<Complex>(maps, some.data()), some.shape(), some.device());
}

}  // namespace

void Encodings::plan(Run& run, const FrameGroup& group) {
  for (const Part& part : parts_) {
    const std::span<const ScanFrame> frames = part.scan->frames;
    part.encodings->plan(run,
                         {group.first, frames.subspan(static_cast<std::size_t>(group.first), group.frames.size())});
  }
  if (!parts_.empty()) return;
  release_others(run.ctx, group.frames);
  if (std::ranges::any_of(group.frames, [&](const ScanFrame& frame) { return ahead_.has(frame.trajectory); })) {
    take_planned_ahead(run);
  }
  for (const ScanFrame& frame : group.frames) {
    if (!is_listed(frame.trajectory)) planned_.push_back({frame.trajectory});
  }
  plan_missing(run);
}

Operator<float> Encodings::encoding(Run& run, const ScanFrame& frame, Array<Complex>& maps) {
  if (parts_.empty()) return transform(run, frame).of_image(maps.share());
  const auto all = std::make_shared<Array<Complex>>(maps.share());
  std::vector<Operator<float>> encodings;
  for (const Part& part : parts_) {
    Array<Complex> own = maps_of_coils(all, part.first_coil, part.scan->coils);
    encodings.push_back(part.encodings->encoding(run, frame_in(part, frame), own));
  }
  return stack<float>(std::move(encodings));
}

std::vector<FramePart> Encodings::parts_of(const Context& ctx, const ScanFrame& frame,
                                           ArrayRef<const Complex> maps) const {
  if (parts_.empty()) return {{*frame.trajectory, frame.data}};
  const auto energy = [&](ArrayRef<const Complex> some) { return dot<float>(ctx, some, some).real(); };
  const double all = energy(maps);
  std::vector<FramePart> found;
  for (const Part& part : parts_) {
    const ScanFrame& own = frame_in(part, frame);
    const double share = energy(maps.range(part.first_coil, part.first_coil + part.scan->coils)) / all;
    found.push_back({*own.trajectory, own.data, share});
  }
  return found;
}

}  // namespace whorl::recon
