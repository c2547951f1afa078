#include "io/ismrmrd/places/compare_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace whorl::io {

namespace {

constexpr Index least_reach = 8;  // steps from the center, where the object has most energy

/// The sample of a readout at so many steps from its center.
Index sample_at(const AcquisitionHead& head, Index k) {
  const Index center = head.center_sample > 0 ? head.center_sample : head.number_of_samples / 2;
  const bool reversed = head.is_reversed();
  return (reversed ? head.number_of_samples - 1 - center - k : center + k) - head.discard_pre;
}

}  // namespace

std::optional<double> difference_of_lines(const Context& ctx, const SortedFile& sorted,
                                          const std::vector<std::pair<Index, Index>>& pairs) {
  std::vector<Index> numbers;
  for (const auto& [one, other] : pairs) numbers.insert(numbers.end(), {one, other});
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const std::vector<ProbedReadout> readouts = read_readouts(ctx, sorted, numbers);
  const auto readout_of = [&](Index number) -> const ProbedReadout& {
    return readouts[static_cast<std::size_t>(std::ranges::lower_bound(numbers, number) - numbers.begin())];
  };
  double apart = 0;
  double energy = 0;
  for (const auto& [first, second] : pairs) {
    const AcquisitionHead& of_one = sorted.head(first);
    const AcquisitionHead& of_other = sorted.head(second);
    const ProbedReadout& one = readout_of(first);
    const ProbedReadout& other = readout_of(second);
    const Index reach = std::max<Index>(least_reach, of_one.number_of_samples / 16);
    for (Index k = -reach; k <= reach; ++k) {
      const Index i = sample_at(of_one, k);
      const Index j = sample_at(of_other, k);
      if (i < 0 || j < 0 || i >= one.length || j >= other.length) continue;
      for (Index coil = 0; coil < of_one.active_channels; ++coil) {
        const auto a = one.samples[static_cast<std::size_t>(coil * one.length + i)];
        const auto b = other.samples[static_cast<std::size_t>(coil * other.length + j)];
        apart += static_cast<double>(std::norm(a - b));
        energy += static_cast<double>(std::norm(a) + std::norm(b)) / 2;
      }
    }
  }
  return energy > 0 ? std::optional(apart / energy) : std::nullopt;
}

void note_unlike_readouts(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes) {
  constexpr std::size_t compared = 16;
  std::map<std::pair<Index, Index>, Index> first;
  std::vector<Index> again;
  const auto place_of = [&](Index number) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    return std::pair{Index{idx.kspace_encode_step_1}, Index{idx.kspace_encode_step_2}};
  };
  for (const Index number : sorted.plan.frames.front().acquisitions) {
    if (!first.emplace(place_of(number), number).second) again.push_back(number);
  }
  if (again.empty() || sorted.plan.coils == 0) return;
  std::vector<std::pair<Index, Index>> pairs;
  bool averages = false;
  bool segments = false;
  for (const Index number : nearest_to_center(sorted, header, again, compared)) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    pairs.emplace_back(first.at(place_of(number)), number);
    averages = averages || idx.average != sorted.head(pairs.back().first).idx.average;
    segments = segments || idx.segment != sorted.head(pairs.back().first).idx.segment;
  }
  const double apart = difference_of_lines(ctx, sorted, pairs).value_or(0);
  if (apart <= most_apart) return;
  std::vector<std::string> counters;
  if (averages) counters.emplace_back("average");
  if (segments) counters.emplace_back("segment");
  notes.emplace_back(
      fmt::format(
          "Readouts of one image at the same lines differ by {:.0f} % ({}), and were averaged. If they are of several "
          "images, contrast, phase, repetition or set has to count them.",
          100 * std::sqrt(apart),
          counters.empty() ? std::string("no counter tells them apart")
                           : fmt::format("told apart by {}", fmt::join(counters, " and "))),
      NoteKind::doubt);
}

}  // namespace whorl::io
