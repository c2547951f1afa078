#include "io/ismrmrd/places/centers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t echoes = 64;

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

/// Pixels that the kept samples of a readout span about a center.
Index extent_about(const AcquisitionHead& head, Index center) {
  return std::max(2 * (center - head.discard_pre), 2 * (head.number_of_samples - 1 - head.discard_post - center));
}

bool alike(const AcquisitionHead& one, const AcquisitionHead& other) {
  return one.number_of_samples == other.number_of_samples && one.center_sample == other.center_sample &&
         one.discard_pre == other.discard_pre && one.discard_post == other.discard_post;
}

/// The place of the echo of readouts that are alike, if it is not at the usual place: at another one that is usual, such as that of
/// a partial echo or of a center that counts from the first sample that is kept, or anywhere.
Index echo_of(const std::vector<ProbedReadout>& readouts, const AcquisitionHead& head, Index pixels, Index usual,
              bool stated) {
  const Index pre = head.discard_pre;
  const Index kept = head.kept();
  const auto energy = [&](Index center) { return echo_at(readouts, center - pre); };
  // A center by which samples lie beyond the encoded matrix needs less to be another.
  const Index most = std::max(pixels, extent_about(head, usual));
  const double factor = extent_about(head, usual) > pixels ? 1 : 2;
  const auto best_of = [&](const std::vector<Index>& centers, double times) {
    Index best = usual;
    for (const Index center : centers) {
      const double needed =
          (best == usual ? (extent_about(head, center) <= pixels ? times : 2 * times) : 1) * energy(best);
      if (extent_about(head, center) <= most && energy(center) > needed) best = center;
    }
    return best;
  };
  const Index last = pre + kept - 1;
  const Index found = best_of(
      usable({usual + pre, head.number_of_samples / 2, pre + kept / 2, pre + kept - pixels / 2, pre + pixels / 2, pre},
             last),
      factor);
  // Where nothing is stated, a full readout has its center in the middle.
  if (found != usual || (!stated && kept >= pixels)) return found;
  std::vector<Index> all;
  for (Index center = pre; center <= last; ++center) all.push_back(center);
  constexpr double far_more = 4;
  return best_of(all, far_more);
}

/// Adds up the energy of readouts at each distance from the center, from -span to span. `center_of`: where it is, along kx.
template <class Center>
std::vector<double> energy_about_center(const SortedFile& sorted, const std::vector<ProbedReadout>& readouts,
                                        Index span, Center center_of) {
  std::vector<double> energy(static_cast<std::size_t>(2 * span + 1));
  for (const ProbedReadout& readout : readouts) {
    const AcquisitionHead& head = sorted.head(readout.number);
    for (Index sample = 0; sample < readout.length; ++sample) {
      const Index stored = sample + head.discard_pre;
      const Index along = head.is_reversed() ? head.number_of_samples - 1 - stored : stored;
      const Index place = along - center_of(head) + span;
      if (place >= 0 && place <= 2 * span) energy[static_cast<std::size_t>(place)] += readout.energy(sample);
    }
  }
  return energy;
}

/// 1 for distributions that are a multiple of each other.
double likeness(const std::vector<double>& one, const std::vector<double>& other) {
  double common = 0;
  double of_one = 0;
  double of_other = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    common += std::sqrt(one[i] * other[i]);
    of_one += one[i];
    of_other += other[i];
  }
  return of_one > 0 && of_other > 0 ? common / std::sqrt(of_one * of_other) : 0;
}

/// Whether reversed readouts have their center counted from the first sample that is stored, in place of as the forward ones. The
/// energy of readouts that run forward tells, which lies about their center likewise; or, without any, the echo, where both are not
/// beside each other. `sample`: as CounterCenters::sample.
bool find_direction(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                    std::optional<Index> sample, Notes& notes) {
  const auto played = [&](const AcquisitionHead& head) { return sample.value_or(head.center_sample); };
  const auto mirrored = [&](const AcquisitionHead& head) { return head.number_of_samples - 1 - played(head); };
  std::vector<Index> forward;
  std::vector<Index> backward;
  Index span = 0;
  bool far_apart = false;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionHead& head = sorted.head(number);
    span = std::max<Index>(span, head.number_of_samples);
    if (!head.is_reversed()) forward.push_back(number);
    if (!head.is_reversed() || mirrored(head) < 0 || mirrored(head) == played(head)) continue;
    backward.push_back(number);
    far_apart = far_apart || std::abs(mirrored(head) - played(head)) > 2;
  }
  // Without readouts that run forward, a sample more or less moves all of k-space.
  if (backward.empty() || sorted.plan.coils == 0 || (forward.empty() && !far_apart)) return false;
  const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, backward, echoes));
  bool as_stored = false;
  if (forward.empty()) {
    double stored_echo = 0;
    double played_echo = 0;
    for (const ProbedReadout& readout : readouts) {
      const AcquisitionHead& head = sorted.head(readout.number);
      stored_echo += echo_at({readout}, played(head) - head.discard_pre);
      played_echo += echo_at({readout}, mirrored(head) - head.discard_pre);
    }
    as_stored = stored_echo > played_echo;
  } else {
    const auto usual = energy_about_center(
        sorted, read_readouts(ctx, sorted, nearest_to_center(sorted, header, forward, echoes)), span, played);
    const double as_played = likeness(usual, energy_about_center(sorted, readouts, span, played));
    const double other = likeness(usual, energy_about_center(sorted, readouts, span, mirrored));
    // Reversed readouts reach as far as the forward ones, most often.
    const AcquisitionHead& back = sorted.head(backward.front());
    const Index center = played(sorted.head(forward.front()));
    as_stored = std::abs(mirrored(back) - center) < std::abs(played(back) - center);
    constexpr double clearly = 0.25;  // of what is unlike
    const double own = as_stored ? other : as_played;
    const double instead = as_stored ? as_played : other;
    if (instead - own > clearly * (1 - own)) as_stored = !as_stored;
  }
  notes.emplace_back(fmt::format("{} of reversed readouts counts {}, where the echo is.",
                                 sample ? "The center" : "center_sample",
                                 as_stored ? "in the order of the file" : "as in forward readouts"));
  return as_stored;
}

}  // namespace

bool has_center_samples(const SortedFile& sorted) {
  const std::vector<Index> numbers = sorted.image_readouts();
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](Index number) { return sorted.head(number).center_sample != 0; });
}

std::optional<Index> find_readout_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                         Notes& notes) {
  const bool stated = has_center_samples(sorted);
  const std::vector<Index> all = sorted.image_readouts();
  std::vector<Index> numbers;
  std::ranges::copy_if(all, std::back_inserter(numbers),
                       [&](Index number) { return !sorted.head(number).is_reversed(); });
  const AcquisitionHead& first = sorted.head(numbers.empty() ? all.front() : numbers.front());
  const auto count = numbers.size();
  std::erase_if(numbers, [&](Index number) { return !alike(sorted.head(number), first); });
  const Index usual = stated ? Index{first.center_sample} : first.discard_pre + first.kept() / 2;
  const auto unchanged = stated ? std::nullopt : std::optional(usual);
  const bool unlike = numbers.empty() || (stated && numbers.size() != count);
  if (unlike || sorted.plan.coils == 0 || first.kept() < 2) return unchanged;
  const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, numbers, echoes));
  const Index center = echo_of(readouts, first, header.encoded.matrix[0], usual, stated);
  if (center == usual) return unchanged;
  if (stated) {
    notes.emplace_back(disagreement(fmt::format(
        "center_sample is {}, but the echo of the readouts is at sample {}, which was taken for the center.", usual,
        center)));
  } else {
    notes.emplace_back(
        fmt::format("The echo of the readouts is at sample {} of {} (partial echo).", center, first.number_of_samples));
  }
  return center;
}

Index find_spoke_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  const Index middle = sorted.head(sorted.image_readouts().front()).number_of_samples / 2;
  if (sorted.plan.coils == 0) return middle;
  const auto readouts = read_readouts(ctx, sorted, nearest_to_center(sorted, header, sorted.image_readouts(), echoes));
  return with_most_energy({middle, 0}, [&](Index place) { return echo_at(readouts, place); });
}

std::map<Index, double> energy_of_steps(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                        std::size_t axis) {
  std::map<Index, std::vector<Index>> readouts_of;
  for (const Index number : sorted.plan.frames.front().acquisitions) {
    readouts_of[sorted.head(number).step(axis)].push_back(number);
  }
  std::vector<Index> nearest;  // along the other axis
  for (const auto& [step, numbers] : readouts_of) {
    nearest.push_back(nearest_to_center(sorted, header, numbers, 1).front());
  }
  std::map<Index, double> energy;
  if (sorted.plan.coils == 0) return energy;
  for (const ProbedReadout& readout : read_readouts(ctx, sorted, nearest)) {
    double& of_step = energy[sorted.head(readout.number).step(axis)];
    for (Index sample = 0; sample < readout.length; ++sample) of_step += readout.energy(sample);
  }
  return energy;
}

double energy_near(const std::map<Index, double>& energy, Index step) {
  double most = 0;
  for (const Index beside : {-1, 0, 1}) {
    if (const auto found = energy.find(step + beside); found != energy.end()) most = std::max(most, found->second);
  }
  return most;
}

bool is_far_less(const std::map<Index, double>& energy, Index step) {
  constexpr double far_less = 4;
  double most = 0;
  for (const auto& [other, value] : energy) most = std::max(most, value);
  return far_less * energy_near(energy, step) < most;
}

Index find_step(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, std::size_t axis,
                Notes& notes) {
  const std::map<Index, double> energy = energy_of_steps(ctx, sorted, header, axis);
  std::vector<Index> steps;
  for (const Index number : sorted.image_readouts()) steps.push_back(sorted.head(number).step(axis));
  const auto [first, last] = std::ranges::minmax(steps);
  const Index half = header.encoded.matrix[axis] / 2;
  const std::optional<Index> stated = axis == 1 ? header.center_1 : header.center_2;
  const auto fits = [first = first, last = last, half](Index center) {
    return first >= center - half && last <= center + half;
  };
  std::vector<Index> candidates = usable({half, last + 1 - half, first + half}, last);
  std::erase_if(candidates, [&](Index center) { return !fits(center); });
  if (stated && fits(*stated)) {
    // A step that was left out, or without signal, says nothing.
    if (energy_near(energy, *stated) == 0 || !is_far_less(energy, *stated)) return *stated;
    const auto most = std::ranges::max_element(energy, {}, [](const auto& one) { return one.second; });
    if (fits(most->first)) candidates.push_back(most->first);
    std::erase_if(candidates, [&](Index center) { return is_far_less(energy, center); });
    if (candidates.empty()) return *stated;
    notes.emplace_back(disagreement(fmt::format(
        "kspace_encode_step_{} = {} is said to be the center of k-space, but most energy is at {}; {} was taken.", axis,
        *stated, most->first, candidates.front())));
    return candidates.front();
  }
  if (candidates.empty()) return stated.value_or(half);
  // Steps that fill the matrix, or that leave out some on both sides
  const bool all = last - first + 1 >= 2 * half || candidates.size() == 1 || sorted.plan.coils == 0;
  const Index center =
      all ? candidates.front() : with_most_energy(candidates, [&](Index step) { return energy_near(energy, step); });
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
  centers.sample = header.center_0;
  centers.reversed_as_stored = find_direction(ctx, sorted, header, centers.sample, notes);
  centers.steps[0] = find_step(ctx, sorted, header, 1, notes);
  if (header.dim() == 3) centers.steps[1] = find_step(ctx, sorted, header, 2, notes);
  return centers;
}

void settle_calibration_centers(const Context& ctx, const SortedFile& calibration, Index image_length,
                                const EncodingHeader& header, CounterCenters& centers) {
  const AcquisitionHead& first = calibration.head(calibration.plan.frames.front().acquisitions.front());
  if (first.number_of_samples != image_length) {
    centers.sample = has_center_samples(calibration) ? std::nullopt : std::optional(Index{first.number_of_samples} / 2);
  }
  for (const std::size_t axis : {1, 2}) {
    if (axis == 2 && header.dim() == 2) break;
    const std::map<Index, double> energy = energy_of_steps(ctx, calibration, header, axis);
    Index& center = centers.steps[axis - 1];
    if (!is_far_less(energy, center)) continue;
    center = std::ranges::max_element(energy, {}, [](const auto& one) { return one.second; })->first;
  }
}

}  // namespace whorl::io
