#include "io/ismrmrd/places/counters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/ismrmrd/places/compare_lines.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
#include "io/ismrmrd/places/reversal.hpp"
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
  const Index line = nearest_to_center(sorted, header, steps.begin()->second, 1).front();
  std::vector<std::pair<Index, Index>> pairs;
  for (const auto& [step, all] : steps) {
    const auto same = std::ranges::find_if(all, [&](Index number) {
      return sorted.head(number).idx.kspace_encode_step_1 == sorted.head(line).idx.kspace_encode_step_1;
    });
    if (same != all.end() && *same != line) pairs.emplace_back(line, *same);
  }
  return difference_of_lines(ctx, sorted, pairs).value_or(0) <= most_apart;
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

/// Steps below 0 are written as their number of 16 bits.
void unwrap_steps(std::vector<AcquisitionHead>& heads, const std::vector<Index>& image, EncodingHeader& header) {
  constexpr Index bits = 1 << 16;
  const auto signed_step = [](std::uint16_t step) { return step < bits / 2 ? Index{step} : Index{step} - bits; };
  for (const auto counter : {&AcquisitionCounters::kspace_encode_step_1, &AcquisitionCounters::kspace_encode_step_2}) {
    Index least = 0;
    Index most = 0;
    for (const Index number : image) {
      const Index step = signed_step(heads[static_cast<std::size_t>(number)].idx.*counter);
      least = std::min(least, step);
      most = std::max(most, step);
    }
    const bool first = counter == &AcquisitionCounters::kspace_encode_step_1;
    constexpr Index most_times = 4;  // the matrix
    if (least == 0 || most - least > most_times * header.encoded.matrix[first ? 1 : 2]) continue;
    for (AcquisitionHead& head : heads)
      head.idx.*counter = static_cast<std::uint16_t>(signed_step(head.idx.*counter) - least);
    (first ? header.center_1 : header.center_2) = -least;
    header.notes.emplace_back(disagreement(fmt::format(
        "kspace_encode_step_{} counts from {} to {}, which its 16 bits hold without sign; 0 was taken for the "
        "center of k-space.",
        first ? 1 : 2, least, most)));
  }
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
                             EncodingHeader& header, bool whole) {
  const auto plan = [&] {
    AcquisitionPlan planned = plan_acquisitions(measurement.heads, options, measurement.name);
    if (options.kind != CountedKind::automatic) planned.trajectory_dimensions = 0;  // by the counters
    return planned;
  };
  AcquisitionPlan planned = plan();
  if (!whole || !options.trajectory_from.empty()) return planned;
  const bool lines =
      planned.trajectory_dimensions == 0 && header.trajectory_kind == "cartesian" && !is_spokes(options.kind);
  if (lines) {
    unwrap_steps(measurement.heads,
                 SortedFile{*measurement.source, measurement.heads, planned, measurement.name}.image_readouts(),
                 header);
    settle_reversal(ctx, measurement, planned, header);
  }
  if (planned.frames.size() < 2) return planned;
  if (!slices_are_partitions(ctx, {*measurement.source, measurement.heads, planned, measurement.name}, header)) {
    return planned;
  }
  const std::string found =
      "idx.slice counts slices in one place, most energy is in a few of them as in partitions, and "
      "kspace_encode_step_2 counts "
      "nothing";
  if (header.encoded.matrix[2] <= planned.frames.back().index.slice) {
    header.notes.emplace_back(fmt::format("Slices may be partitions: {}. If they are, kspace_encode_step_2 and "
                                          "matrixSize z of the encoding have to count "
                                          "them.",
                                          found),
                              NoteKind::doubt);
    return planned;
  }
  for (AcquisitionHead& head : measurement.heads) head.idx.kspace_encode_step_2 = std::exchange(head.idx.slice, 0);
  header.notes.emplace_back(disagreement(found + "; the slices were taken for partitions."));
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
