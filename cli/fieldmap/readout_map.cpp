#include "cli/fieldmap/readout_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

// The first frame of each slice.
std::vector<ScanFrame> first_frames(std::vector<ScanFrame>&& frames) {
  std::vector<ScanFrame> slices;
  for (ScanFrame& frame : frames) {
    const auto is_same = [&](const ScanFrame& other) { return other.index.slice == frame.index.slice; };
    if (std::none_of(slices.begin(), slices.end(), is_same)) slices.push_back(std::move(frame));
  }
  return slices;
}

}  // namespace

ReadoutMap map_from_readout(const Context& ctx, Scan scan, const ReconOptions& recon,
                            const ReadoutFieldOptions& options) {
  std::vector<ScanFrame> slices = first_frames(std::move(scan.frames));
  scan.frames.clear();
  std::vector<Geometry> places;
  for (const ScanFrame& slice : slices) places.push_back(slice.geometry);
  const SliceStacks stacks = stack_slices(places, scan.matrix[2]);
  if (stacks.stacks.size() != 1 || stacks.stacks.front().frames.size() != places.size()) {
    throw ValueError(fmt::format("field from readout: the slices form no regular stack ({}); make a map of each",
                                 stacks.irregularity.empty() ? "several volumes" : stacks.irregularity));
  }
  const SliceStack& stack = stacks.stacks.front();
  const auto [x, y, z] = scan.matrix;
  const Index depth = z > 1 ? z : static_cast<Index>(places.size());
  ReadoutMap map;
  map.affine = voxel_affine(stack.geometry, {x, y, depth});
  map.hertz = Array<float>(ctx.host(), depth > 1 ? Shape{depth, y, x} : Shape{y, x});
  float* to = map.hertz.data();
  for (const auto number : stack.frames) {
    Scan one = clone(ctx, scan);
    one.frames.push_back(std::move(slices[static_cast<std::size_t>(number)]));
    const int slice = one.frames.front().index.slice;
    ReadoutField found;
    try {
      found = readout_field(ctx, std::move(one), recon, options);
    } catch (const ValueError& error) {
      if (slices.size() == 1) throw;
      throw ValueError(fmt::format("slice {}: {}", slice, error.what()));
    }
    to = std::copy_n(found.hertz.data(), found.hertz.size(), to);
    for (const Note& note : found.notes) {
      map.notes.emplace_back(slices.size() > 1 ? with_name(fmt::format("Slice {}", slice), note) : note);
    }
    for (const auto& stage : found.stage_seconds) map.stage_seconds.push_back(stage);
  }
  return map;
}

}  // namespace whorl::cli
