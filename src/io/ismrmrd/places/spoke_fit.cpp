#include "io/ismrmrd/places/spoke_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <utility>

namespace whorl::io {

namespace {

using std::numbers::pi;

/// A spoke in its place; through the center it may be stored in the other direction than its neighbors.
struct Placed {
  double angle = 0;
  const ProbedSpoke* spoke = nullptr;
  bool flipped = false;
};

/// Replaces a spoke by the magnitudes of its projections, of norm 1: a delay turns their phase alone, and a signal that recovers
/// scales them.
void project(ProbedSpoke& spoke) {
  const auto width = static_cast<Index>(spoke.width);
  const Index middle = width / 2;
  std::vector<std::complex<float>> made(spoke.samples.size());
  double energy = 0;
  for (std::size_t line = 0; line < made.size(); line += spoke.width) {
    for (Index x = 0; x < width; ++x) {
      std::complex<double> sum = 0;
      for (Index i = 0; i < width; ++i) {
        const double turns = static_cast<double>((i - middle) * (x - middle)) / static_cast<double>(width);
        sum +=
            std::complex<double>(spoke.samples[line + static_cast<std::size_t>(i)]) * std::polar(1.0, -2 * pi * turns);
      }
      made[line + static_cast<std::size_t>(x)] = static_cast<float>(std::abs(sum));
      energy += std::norm(sum);
    }
  }
  const auto scale = energy > 0 ? static_cast<float>(1 / std::sqrt(energy)) : 0.0F;
  for (std::complex<float>& value : made) value *= scale;
  spoke.samples = std::move(made);
}

/// Sum of |difference|^2 over coils and samples.
double distance(const Placed& one, const Placed& other) {
  const auto& a = one.spoke->samples;
  const auto& b = other.spoke->samples;
  const std::size_t width = one.spoke->width;
  double sum = 0;
  for (std::size_t line = 0; line < a.size(); line += width) {
    for (std::size_t i = 0; i < width; ++i) {
      sum += static_cast<double>(
          std::norm(a[line + (one.flipped ? width - 1 - i : i)] - b[line + (other.flipped ? width - 1 - i : i)]));
    }
  }
  return sum;
}

/// Sum of the distances of neighbors in angle.
double roughness(const std::vector<ProbedSpoke>& spokes, const SpokeAngles& order, double period) {
  const bool through = period < 2 * pi;
  std::vector<Placed> placed;
  for (const ProbedSpoke& spoke : spokes) {
    const double turn = order.turns[static_cast<std::size_t>(spoke.number)];
    const double periods = std::floor(turn / period);
    placed.push_back({turn - periods * period, &spoke, through && std::fmod(std::abs(periods), 2) != 0});
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.angle < b.angle; });
  placed.push_back(placed.front());
  placed.back().flipped ^= through;
  double sum = 0;
  for (std::size_t i = 1; i < placed.size(); ++i) sum += distance(placed[i - 1], placed[i]);
  return sum;
}

std::vector<double> by_steps(Index count, double step) {
  std::vector<double> turns;
  for (Index s = 0; s < count; ++s) turns.push_back(step * static_cast<double>(s));
  return turns;
}

SpokeAngles endless_steps(std::string name, Index count, double step) {
  return {std::move(name), by_steps(count, step), [step](Index more) { return by_steps(more, step); }};
}

SpokeAngles endless_golden(std::string name, Index count, Index n, double period) {
  const auto angles = [n, period](Index spokes) { return spoke_angles(spokes, SpokeOrder::golden_angle, n, period); };
  return {std::move(name), angles(count), angles};
}

void add_golden(Index count, double period, std::vector<SpokeAngles>& orders) {
  orders.push_back(endless_golden("golden angles", count, 1, period));
  // 2 pi (2 - g), by which many sequences turn spokes through the center too
  orders.push_back(
      endless_steps("angles of 137.51 degrees from spoke to spoke", count, 2 * pi * (2 - std::numbers::phi)));
  constexpr Index most = 10;
  for (Index n = 2; n <= most; ++n) {
    orders.push_back(endless_golden(fmt::format("tiny golden angles of n = {}", n), count, n, period));
  }
}

void add_uniform(Index count, double period, std::vector<SpokeAngles>& orders) {
  orders.push_back({"uniform angles", spoke_angles(count, SpokeOrder::uniform, 1, period)});
  if (period < 2 * pi) {
    const double step = pi / static_cast<double>(count);
    orders.push_back({"uniform angles over a whole turn", by_steps(count, 2 * step)});
    orders.push_back({"uniform angles, every second spoke in the other direction", by_steps(count, step + pi)});
  }
}

}  // namespace

std::vector<ProbedSpoke> probe_spokes(const Context& ctx, const SortedFile& sorted, std::optional<Index> sample,
                                      const std::vector<NumberedReadout>& numbered) {
  constexpr Index most_radius = 24;
  std::vector<Index> numbers;
  std::vector<ProbedSpoke> spokes;
  Index radius = most_radius;
  const bool center_out = sample == 0;
  const auto center_of = [&](const AcquisitionHead& head) { return sample.value_or(head.center_sample); };
  for (const NumberedReadout& one : numbered) {
    numbers.push_back(one.acquisition);
    spokes.push_back({.number = one.spoke, .samples = {}});
    const AcquisitionHead& head = sorted.head(one.acquisition);
    const Index after = head.number_of_samples - 1 - center_of(head);
    radius = std::min(radius, center_out ? after : std::min(center_of(head), after));
  }
  const std::vector<ProbedReadout> readouts = read_readouts(ctx, sorted, numbers);
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    const AcquisitionHead& head = sorted.head(numbers[i]);
    const bool reversed = head.is_reversed();
    spokes[i].width = static_cast<std::size_t>(center_out ? radius + 1 : 2 * radius + 1);
    for (Index coil = 0; coil < sorted.plan.coils; ++coil) {
      for (Index r = center_out ? 0 : -radius; r <= radius; ++r) {
        const Index along = center_of(head) + r;
        const Index place = (reversed ? head.number_of_samples - 1 - along : along) - head.discard_pre;
        const bool kept = place >= 0 && place < readouts[i].length;
        spokes[i].samples.push_back(
            kept ? readouts[i].samples[static_cast<std::size_t>(coil * readouts[i].length + place)] : 0.0F);
      }
    }
    project(spokes[i]);
  }
  return spokes;
}

std::vector<SpokeAngles> possible_angles(Index count, const ScanReadOptions& options, bool golden_header,
                                         double period) {
  if (options.angle_degrees > 0) {
    return {endless_steps(fmt::format("angles of {:g} degrees from spoke to spoke", options.angle_degrees), count,
                          options.angle_degrees * pi / 180)};
  }
  std::vector<SpokeAngles> orders;
  const SpokeOrder first = options.angle.value_or(golden_header || options.golden_index > 1 ? SpokeOrder::golden_angle
                                                                                            : SpokeOrder::uniform);
  if (first == SpokeOrder::fibonacci) {
    return {{"Fibonacci angles", spoke_angles(count, first, options.golden_index, period)}};
  }
  if (first == SpokeOrder::golden_angle && options.golden_index > 1) {
    return {endless_golden("golden angles", count, options.golden_index, period)};
  }
  if (first == SpokeOrder::golden_angle) add_golden(count, period, orders);
  add_uniform(count, period, orders);
  if (first != SpokeOrder::golden_angle) add_golden(count, period, orders);
  return orders;
}

std::size_t fitting_angles(const std::vector<ProbedSpoke>& spokes, const std::vector<SpokeAngles>& orders,
                           double period) {
  constexpr std::size_t least_spokes = 8;
  if (orders.size() < 2 || spokes.size() < least_spokes || spokes.front().samples.empty()) return 0;
  std::vector<double> rough(orders.size());
  std::transform(orders.begin(), orders.end(), rough.begin(),
                 [&](const SpokeAngles& order) { return roughness(spokes, order, period); });
  const auto best = static_cast<std::size_t>(std::min_element(rough.begin(), rough.end()) - rough.begin());
  // Spokes in a wrong order differ from their neighbors as much as from any, and noise makes all orders alike.
  constexpr double far_better = 0.5;
  return rough[best] < far_better * rough.front() ? best : 0;
}

}  // namespace whorl::io
