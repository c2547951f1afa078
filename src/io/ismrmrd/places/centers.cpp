#include "io/ismrmrd/places/centers.hpp"

#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <cmath>

#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t echoes = 16;

/// Energy at a place and beside it, where a center between two samples has the echo.
double echo_at(const std::vector<ProbedReadout>& readouts, Index place) {
  double energy = 0;
  for (const ProbedReadout& readout : readouts) {
    for (Index beside = -1; beside <= 1; ++beside) energy += readout.energy(place + beside);
  }
  return energy;
}

/// The candidate with most energy; the first one, which is the usual, unless another has twice as much.
template <class Energy>
Index with_most_energy(const std::vector<Index>& candidates, Energy energy) {
  Index best = candidates.front();
  double most = 2 * energy(best);
  for (const Index candidate : candidates) {
    if (const double here = energy(candidate); candidate != candidates.front() && here > most) {
      most = here;
      best = candidate;
    }
  }
  return best;
}

/// Candidates from 0 to `last`, each once, in their order.
std::vector<Index> usable(const std::vector<Index>& all, Index last) {
  std::vector<Index> some;
  for (const Index one : all) {
    if (one >= 0 && one <= last && std::find(some.begin(), some.end(), one) == some.end()) some.push_back(one);
  }
  return some;
}

bool reversed(const AcquisitionHead& head) { return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE); }

/// The common center of readouts that do not have it in center_sample: their middle, or as the end or the start of a partial
/// echo has it.
Index find_sample(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes) {
  const Index length = sorted.head(sorted.image_readouts().front()).number_of_samples;
  const Index pixels = header.encoded.matrix[0];
  const std::vector<Index> candidates = usable({length / 2, length - pixels / 2, pixels / 2, 0}, length - 1);
  if (length >= pixels || sorted.plan.coils == 0) return candidates.front();
  std::vector<Index> numbers;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionHead& head = sorted.head(number);
    if (head.number_of_samples == length && head.kept() == length && !reversed(head)) numbers.push_back(number);
  }
  const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, numbers, echoes));
  const Index center = with_most_energy(candidates, [&](Index place) { return echo_at(readouts, place); });
  if (center != candidates.front()) {
    notes.emplace_back(fmt::format("The echo of the readouts is at sample {} of {} (partial echo).", center, length));
  }
  return center;
}

/// Reversed readouts have their center sample counted from the first sample that is stored, or as the forward ones. Where both
/// are not beside each other the echo tells.
bool find_direction(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes) {
  std::vector<Index> numbers;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionHead& head = sorted.head(number);
    const Index other = Index{head.number_of_samples} - 1 - head.center_sample;
    if (reversed(head) && other >= 0 && std::abs(other - head.center_sample) > 2) numbers.push_back(number);
  }
  if (numbers.empty() || sorted.plan.coils == 0) return false;
  double as_stored = 0;
  double as_forward = 0;
  for (const ProbedReadout& readout : read_readouts(ctx, sorted, nearest_to_center(sorted, header, numbers, echoes))) {
    const AcquisitionHead& head = sorted.head(readout.number);
    const Index center = head.center_sample - head.discard_pre;
    const Index other = Index{head.number_of_samples} - 1 - head.center_sample - head.discard_pre;
    as_stored += echo_at({readout}, center);
    as_forward += echo_at({readout}, other);
  }
  notes.emplace_back(fmt::format("center_sample of reversed readouts counts {}, where the echo is.",
                                 as_stored > as_forward ? "in the order of the file" : "as in forward readouts"));
  return as_stored > as_forward;
}

}  // namespace

bool has_center_samples(const SortedFile& sorted) {
  const std::vector<Index> numbers = sorted.image_readouts();
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](Index number) { return sorted.head(number).center_sample != 0; });
}

Index find_spoke_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  const Index middle = sorted.head(sorted.image_readouts().front()).number_of_samples / 2;
  if (sorted.plan.coils == 0) return middle;
  const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, sorted.image_readouts(), echoes));
  return with_most_energy({middle, 0}, [&](Index place) { return echo_at(readouts, place); });
}

Index find_step(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, std::size_t axis,
                Notes& notes) {
  const auto step_of = [&](Index number) -> Index {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    return axis == 1 ? idx.kspace_encode_step_1 : idx.kspace_encode_step_2;
  };
  const std::vector<Index> numbers = sorted.image_readouts();
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end(),
                                                 [&](Index one, Index other) { return step_of(one) < step_of(other); });
  const Index half = header.encoded.matrix[axis] / 2;
  const Index first = step_of(*least);
  const Index last = step_of(*most);
  const std::optional<Index> stated = axis == 1 ? header.center_1 : header.center_2;
  const auto fits = [&](Index center) { return first >= center - half && last <= center + half; };
  if (stated && fits(*stated)) return *stated;
  std::vector<Index> candidates = usable({half, last + 1 - half, first + half}, last);
  std::erase_if(candidates, [&](Index center) { return !fits(center); });
  if (candidates.empty()) return stated.value_or(half);
  // Steps that fill the matrix, or that leave out some on both sides
  const bool all = last - first + 1 >= 2 * half || candidates.size() == 1 || sorted.plan.coils == 0;
  const Index center = all ? candidates.front() : with_most_energy(candidates, [&](Index step) {
    std::vector<Index> near;
    for (const Index number : sorted.plan.frames.front().acquisitions) {
      if (std::abs(step_of(number) - step) <= 1) near.push_back(number);
    }
    near = nearest_to_center(sorted, header, near, echoes);
    double energy = 0;
    for (const ProbedReadout& readout : read_readouts(ctx, sorted, near)) {
      for (Index sample = 0; sample < readout.length; ++sample) energy += readout.energy(sample);
    }
    return energy / static_cast<double>(std::max<std::size_t>(near.size(), 1));
  });
  if (stated) {
    notes.emplace_back(disagreement(
        fmt::format("kspace_encode_step_{} = {} is said to be the center of k-space, which does not fit the "
                    "matrix; {} was taken.",
                    axis, *stated, center)));
  } else if (center != half) {
    notes.emplace_back(
        fmt::format("The center of k-space is at kspace_encode_step_{} = {}, where the readouts have most "
                    "energy (partial Fourier).",
                    axis, center));
  }
  return center;
}

CounterCenters find_centers(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes) {
  CounterCenters centers;
  if (has_center_samples(sorted)) {
    centers.reversed_as_stored = find_direction(ctx, sorted, header, notes);
  } else {
    centers.sample = find_sample(ctx, sorted, header, notes);
  }
  centers.steps[0] = find_step(ctx, sorted, header, 1, notes);
  if (header.dim() == 3) centers.steps[1] = find_step(ctx, sorted, header, 2, notes);
  return centers;
}

}  // namespace whorl::io
