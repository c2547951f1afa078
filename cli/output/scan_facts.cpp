#include "cli/output/scan_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace whorl::cli {

namespace {

void include(Range& range, Index value, bool first) {
  range.least = first ? value : std::min(range.least, value);
  range.most = first ? value : std::max(range.most, value);
}

Index count_distinct(const Scan& scan, int FrameIndex::*counter) {
  std::set<int> values;
  for (const ScanFrame& frame : scan.frames) values.insert(frame.index.*counter);
  return static_cast<Index>(values.size());
}

}  // namespace

ScanFacts describe_scan(const Scan& scan) {
  ScanFacts facts;
  facts.slices = count_distinct(scan, &FrameIndex::slice);
  facts.contrasts = count_distinct(scan, &FrameIndex::contrast);
  facts.phases = count_distinct(scan, &FrameIndex::phase);
  facts.repetitions = count_distinct(scan, &FrameIndex::repetition);
  facts.sets = count_distinct(scan, &FrameIndex::set);
  facts.noise_samples = scan.noise.rank() == 2 ? scan.noise.extent(1) : 0;
  facts.data_bytes = static_cast<std::uint64_t>(scan.noise.size()) * sizeof(std::complex<float>);

  std::set<const Trajectory*> seen;  // frames share trajectories
  bool first = true;
  for (const ScanFrame& frame : scan.frames) {
    const Trajectory& trajectory = *frame.trajectory;
    if (first) facts.field_of_view_mm = frame.geometry.field_of_view_mm;
    include(facts.samples, trajectory.samples(), first);
    const Index length = trajectory.readout_length;
    include(facts.readouts, length > 0 ? trajectory.samples() / length : 0, first);
    first = false;
    facts.has_weights = facts.has_weights || frame.weights != nullptr;
    facts.data_bytes += static_cast<std::uint64_t>(frame.data.size()) * sizeof(std::complex<float>);
    if (!seen.insert(&trajectory).second) continue;
    const auto k = trajectory.points.view<2>();
    for (Index sample = 0; sample < k.extent(0); ++sample) {
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        double& largest = facts.largest_k[static_cast<std::size_t>(axis)];
        largest = std::max(largest, std::abs(k(sample, axis)));
      }
    }
  }
  return facts;
}

}  // namespace whorl::cli
