#include "io/ismrmrd/places/counters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

using Steps = std::map<Index, std::vector<Index>>;  // the readouts of each step

/// The mean energy of some readouts near the center of each step.
std::vector<double> energy_of_steps(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                    const Steps& steps) {
  constexpr std::size_t probed = 8;
  std::vector<double> energy;
  for (const auto& [step, all] : steps) {
    const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, all, probed));
    double sum = 0;
    for (const ProbedReadout& readout : readouts) {
      for (Index sample = 0; sample < readout.length; ++sample) sum += readout.energy(sample);
    }
    energy.push_back(sum / static_cast<double>(std::max<std::size_t>(readouts.size(), 1)));
  }
  return energy;
}

/// Slices of one object have energies alike, and partitions most of it at the center of k-space.
bool is_peaked(std::vector<double> energy) {
  constexpr double times = 20;
  if (energy.size() < 2) return false;
  std::ranges::sort(energy);
  return energy.back() > times * energy[(energy.size() - 1) / 2];
}

/// Whether readouts at the same line of several steps are alike.
bool are_alike(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, const Steps& steps) {
  constexpr double apart = 0.1;  // of the energy: noise
  const Index line = nearest_to_center(sorted, header, steps.begin()->second, 1).front();
  std::vector<Index> numbers;
  for (const auto& [step, all] : steps) {
    const auto same = std::ranges::find_if(all, [&](Index number) {
      return sorted.head(number).idx.kspace_encode_step_1 == sorted.head(line).idx.kspace_encode_step_1;
    });
    if (same != all.end()) numbers.push_back(*same);
  }
  const auto readouts = read_readouts(ctx, sorted, numbers);
  double difference = 0;
  double energy = 0;
  for (const ProbedReadout& readout : readouts) {
    const auto& first = readouts.front().samples;
    if (readout.samples.size() != first.size()) return false;
    for (std::size_t i = 0; i < first.size(); ++i) {
      difference += static_cast<double>(std::norm(readout.samples[i] - first[i]));
      energy += static_cast<double>(std::norm(readout.samples[i]) + std::norm(first[i])) / 2;
    }
  }
  return difference <= apart * energy;
}

/// Whether idx.slice counts slices in one place that have the energies of partitions, which kspace_encode_step_2 does not count.
bool slices_are_partitions(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  if (sorted.plan.coils == 0) return false;
  Steps slices;
  const std::vector<Index> all = sorted.image_readouts();
  const AcquisitionHead& first = sorted.head(all.front());
  for (const Index number : all) {
    const AcquisitionHead& head = sorted.head(number);
    slices[head.idx.slice].push_back(number);
    if (head.idx.kspace_encode_step_2 != first.idx.kspace_encode_step_2 || head.position != first.position)
      return false;
  }
  if (slices.size() < 2) return false;
  return is_peaked(energy_of_steps(ctx, sorted, header, slices));
}

std::vector<std::pair<std::string, Index>> counters_of(const AcquisitionCounters& idx) {
  return {{"kspace_encode_step_1", idx.kspace_encode_step_1},
          {"kspace_encode_step_2", idx.kspace_encode_step_2},
          {"average", idx.average},
          {"slice", idx.slice},
          {"contrast", idx.contrast},
          {"phase", idx.phase},
          {"repetition", idx.repetition},
          {"set", idx.set},
          {"segment", idx.segment}};
}

}  // namespace

Counted partitions_within_images(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  Steps steps;
  std::map<Index, Index> step_of_line;
  bool share_lines = false;
  for (const Index number : sorted.plan.frames.front().acquisitions) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    steps[idx.kspace_encode_step_2].push_back(number);
    const Index first = step_of_line.emplace(idx.kspace_encode_step_1, idx.kspace_encode_step_2).first->second;
    share_lines = share_lines || first != idx.kspace_encode_step_2;
  }
  if (!share_lines || sorted.plan.coils == 0) return Counted::nothing;
  if (is_peaked(energy_of_steps(ctx, sorted, header, steps))) return Counted::partitions;
  return are_alike(ctx, sorted, header, steps) ? Counted::repetitions : Counted::unknown;
}

AcquisitionPlan settled_plan(const Context& ctx, Measurement& measurement, const ScanReadOptions& options,
                             EncodingHeader& header) {
  const auto plan = [&] {
    AcquisitionPlan planned = plan_acquisitions(measurement.heads, options, measurement.name);
    if (options.kind != CountedKind::automatic) planned.trajectory_dimensions = 0;  // by the counters
    return planned;
  };
  AcquisitionPlan planned = plan();
  if (!options.trajectory_from.empty() || planned.frames.size() < 2) return planned;
  if (!slices_are_partitions(ctx, {*measurement.source, measurement.heads, planned, measurement.name}, header)) {
    return planned;
  }
  const std::string found =
      "idx.slice counts slices in one place, most energy is in a few of them as in partitions, and "
      "kspace_encode_step_2 "
      "counts nothing; ";
  if (header.encoded.matrix[2] <= planned.frames.back().index.slice) {
    header.notes.emplace_back(disagreement(
        found + "if they are partitions, kspace_encode_step_2 and matrixSize z of the encoding have to count them."));
    return planned;
  }
  for (AcquisitionHead& head : measurement.heads) head.idx.kspace_encode_step_2 = std::exchange(head.idx.slice, 0);
  header.notes.emplace_back(disagreement(found + "the slices were taken for partitions."));
  return plan();
}

void check_lines(const SortedFile& sorted) {
  constexpr Index few = 4;
  const std::vector<Index> numbers = sorted.image_readouts();
  if (std::ssize(numbers) < few) return;
  std::map<std::string, std::pair<Index, Index>> ranges;
  for (const Index number : numbers) {
    for (const auto& [name, count] : counters_of(sorted.head(number).idx)) {
      auto& [least, most] = ranges.try_emplace(name, count, count).first->second;
      least = std::min(least, count);
      most = std::max(most, count);
    }
  }
  const auto [step, last] = ranges.at("kspace_encode_step_1");
  if (step != last) return;
  std::vector<std::string> vary;
  for (const auto& [name, range] : ranges) {
    if (range.first != range.second) vary.push_back(fmt::format("{} from {} to {}", name, range.first, range.second));
  }
  throw ValueError(fmt::format(
      "{}: kspace_encode_step_1 is {} in all {} readouts, so the lines have no places along y; counters that vary: {}; "
      "write the number of the line into kspace_encode_step_1, or give the positions as trajectory-from",
      sorted.source, step, numbers.size(), vary.empty() ? std::string("none") : fmt::to_string(fmt::join(vary, ", "))));
}

}  // namespace whorl::io
