#include "recon/frame_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "recon/methods/entry.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::recon {

namespace {

bool belong_together(const ScanFrame& a, const ScanFrame& b, FramesShare share) {
  return (share == FramesShare::place || a.trajectory == b.trajectory) && a.index.slice == b.index.slice &&
         a.geometry == b.geometry;
}

}  // namespace

std::string FrameGroup::title(const Scan& scan) const {
  if (scan.frames.size() == 1) return "reconstruction";
  if (frames.size() == 1) return fmt::format("frame {} of {}", first + 1, scan.frames.size());
  return fmt::format("frames {} to {} of {}", first + 1, first + static_cast<Index>(frames.size()), scan.frames.size());
}

bool FrameGroup::has_one_trajectory() const {
  return std::ranges::all_of(frames,
                             [&](const ScanFrame& frame) { return frame.trajectory == frames.front().trajectory; });
}

std::vector<FrameGroup> frame_groups(const Scan& scan, Index most, FramesShare share) {
  return frame_groups(scan, {0, static_cast<Index>(scan.frames.size())}, most, share);
}

std::vector<FrameGroup> frame_groups(const Scan& scan, FrameRange range, Index most, FramesShare share) {
  std::vector<FrameGroup> groups;
  const std::span<const ScanFrame> frames(scan.frames.data(), static_cast<std::size_t>(range.last));
  for (auto first = static_cast<std::size_t>(range.first); first < frames.size();) {
    std::size_t count = 1;
    while (first + count < frames.size() && count < static_cast<std::size_t>(most) &&
           belong_together(frames[first], frames[first + count], share)) {
      ++count;
    }
    const auto number = static_cast<Index>(first);
    groups.push_back({number, frames.subspan(first, count), {number, number + static_cast<Index>(count)}});
    first += count;
  }
  return groups;
}

FrameRange images_of(const Scan& scan, FrameRange frames, const ReconOptions& options) {
  if (options.subspace == nullptr) return frames;
  const std::vector<int> slices = slices_of(scan);
  const auto before = [&](Index frame) {
    return count_of_slices(std::span(slices).first(static_cast<std::size_t>(frame))) * options.subspace->components();
  };
  return {before(frames.first), before(frames.last)};
}

Index count_of_images(const Scan& scan, const ReconOptions& options) {
  return images_of(scan, {0, std::ssize(scan.frames)}, options).last;
}

std::vector<ImageFrame> places_of_images(const Scan& scan, const ReconOptions& options) {
  std::vector<ImageFrame> places;
  if (options.subspace == nullptr) {
    for (const ScanFrame& frame : scan.frames) places.push_back({frame.index, frame.geometry});
    return places;
  }
  for (const auto& [slice, frames] : frames_of_slices(scan)) {
    for (int k = 0; k < options.subspace->components(); ++k) {
      places.push_back({{.slice = slice, .contrast = k}, frames.front()->geometry});
    }
  }
  return places;
}

std::vector<int> slices_of(const Scan& scan) {
  std::vector<int> slices;
  for (const ScanFrame& frame : scan.frames) slices.push_back(frame.index.slice);
  return slices;
}

std::map<int, std::vector<const ScanFrame*>> frames_of_slices(const Scan& scan) {
  std::map<int, std::vector<const ScanFrame*>> slices;
  for (const ScanFrame& frame : scan.frames) slices[frame.index.slice].push_back(&frame);
  return slices;
}

Index count_of_slices(std::span<const int> slices) { return std::ssize(std::set<int>(slices.begin(), slices.end())); }

std::shared_ptr<const Trajectory> one_after_another(const Context& ctx, const Trajectories& all) {
  Index samples = 0;
  for (const auto& one : all) samples += one->samples();
  auto joined = std::make_shared<Trajectory>();
  joined->points = Array<double>(ctx.host(), {samples, all.front()->dim()});
  double* to = joined->points.data();
  for (const auto& one : all) to = std::copy_n(one->points.data(), one->points.size(), to);
  return joined;
}

Scan in_order(Scan scan, const std::vector<std::size_t>& order) {
  if (order.empty()) return scan;
  std::vector<ScanFrame> sorted;
  for (const std::size_t number : order) sorted.push_back(std::move(scan.frames[number]));
  scan.frames = std::move(sorted);
  return scan;
}

std::vector<std::size_t> order_by_slice(const Scan& scan) {
  std::vector<std::size_t> order(scan.frames.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scan.frames[a].index.slice < scan.frames[b].index.slice;
  });
  return order;
}

bool is_sorted_by_slice(const ReconOptions& options) {
  return frames_share(options) == FramesShare::place || method_of(options).makes_maps;
}

std::vector<std::size_t> solving_order(const Scan& scan, const ReconOptions& options) {
  if (is_sorted_by_slice(options)) return order_by_slice(scan);
  std::vector<std::size_t> order(scan.frames.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

FramesShare frames_share(const ReconOptions& options) {
  const bool span = std::any_of(options.regularized.terms.begin(), options.regularized.terms.end(),
                                [](const Regularizer& what) { return what.spans_frames(); });
  return span || options.subspace != nullptr ? FramesShare::place : FramesShare::trajectory;
}

FramesShare solved_share(const ReconOptions& options) {
  return method_of(options).frames_apart ? FramesShare::place : frames_share(options);
}

}  // namespace whorl::recon
