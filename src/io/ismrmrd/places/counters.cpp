#include "io/ismrmrd/places/counters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/ismrmrd/places/compare_lines.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
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

/// 1 for profiles along the readouts that are a multiple of each other; `mirrored`: with the second one from its end.
double likeness_of_profiles(const std::vector<double>& one, const std::vector<double>& other, bool mirrored) {
  double common = 0;
  double of_one = 0;
  double of_other = 0;
  const std::size_t n = one.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double beside = other[mirrored ? (2 * (n / 2) + n - i) % n : i];
    common += std::sqrt(one[i] * beside);
    of_one += one[i];
    of_other += beside;
  }
  return of_one > 0 && of_other > 0 ? common / std::sqrt(of_one * of_other) : 0;
}

/// Whether the object is mirrored along x in readouts as their flags play them, beside others.
bool is_mirrored(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                 const std::vector<Index>& ones, const std::vector<Index>& others) {
  constexpr std::size_t probed = 32;
  const auto readouts_of = [&](const std::vector<Index>& numbers) {
    auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, numbers, probed));
    for (ProbedReadout& readout : readouts) {
      if (!sorted.head(readout.number).flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE)) continue;
      for (auto line = readout.samples.begin(); line < readout.samples.end(); line += readout.length) {
        std::reverse(line, line + readout.length);
      }
    }
    return readouts;
  };
  const auto first = readouts_of(ones);
  const auto second = readouts_of(others);
  if (first.front().length != second.front().length || first.front().length < 2) return false;
  const std::vector<double> one = profile(ctx, first);
  const std::vector<double> other = profile(ctx, second);
  const double unlike = 1 - likeness_of_profiles(one, other, false);
  constexpr double at_least = 0.02;  // lines beside each other of a scan differ by less
  constexpr double much_more = 4;
  return unlike > at_least && unlike > much_more * (1 - likeness_of_profiles(one, other, true));
}

/// Readouts that run backward without the flag for that, or have it although they run forward: every second one of them, or of
/// the contrasts, has the object mirrored.
void settle_reversal(const Context& ctx, Measurement& measurement, const AcquisitionPlan& plan,
                     EncodingHeader& header) {
  const SortedFile sorted{*measurement.source, measurement.heads, plan, measurement.name};
  constexpr std::size_t few = 8;
  const auto change = [&](const std::vector<Index>& numbers, const std::string& what) {
    for (const Index number : numbers) {
      measurement.heads[static_cast<std::size_t>(number)].flags ^= std::uint64_t{1}
                                                                   << (ISMRMRD::ISMRMRD_ACQ_IS_REVERSE - 1);
    }
    header.notes.emplace_back(disagreement(
        fmt::format("{} readouts {}, which the object in them shows; it was done so.", numbers.size(), what)));
  };
  std::vector<Index> forward;
  std::vector<Index> reversed;
  std::array<std::vector<Index>, 2> in_turn;
  std::array<std::vector<Index>, 2> contrasts;
  for (const FramePlan& frame : plan.frames) {
    std::size_t place = 0;
    for (const Index number : frame.acquisitions) {
      (sorted.head(number).flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE) ? reversed : forward).push_back(number);
      in_turn[place++ % 2].push_back(number);
      contrasts[static_cast<std::size_t>(frame.index.contrast % 2)].push_back(number);
    }
  }
  if (!reversed.empty()) {
    if (std::min(forward.size(), reversed.size()) < few || !is_mirrored(ctx, sorted, header, forward, reversed)) return;
    return change(reversed, "are flagged as reversed and run forward");
  }
  for (const auto& [ones, others] : {std::pair{in_turn[0], in_turn[1]}, std::pair{contrasts[0], contrasts[1]}}) {
    if (std::min(ones.size(), others.size()) < few || !is_mirrored(ctx, sorted, header, ones, others)) continue;
    return change(others, "run backward and are not flagged as reversed");
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
    if (planned.coils > 0) settle_reversal(ctx, measurement, planned, header);
  }
  if (planned.frames.size() < 2) return planned;
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
