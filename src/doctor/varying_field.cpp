#include "doctor/varying_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace whorl::doctor {

namespace {

constexpr std::size_t side = 6;  // blocks along an axis
constexpr std::size_t blocks = side * side;
constexpr double most_local_turns = 3;  // from the frequency of the whole
constexpr double local_step = 0.25;

constexpr double most_left = 0.75;      // of the energy that is out of phase
constexpr double least_spread = 0.3;    // turns
constexpr double most_roughness = 0.8;  // undersampling blurs at random: 1

using BlockSums = std::array<double, blocks>;

// Energies of the parts of an image that are out of phase with the smooth image, and of all, over blocks of the plane.
struct Energies {
  BlockSums out_of_phase{};
  BlockSums all{};
};

Energies energies(const Context& ctx, const FieldImages& field, double turns) {
  const Array<std::complex<float>> images = field.images(ctx, turns);
  const Array<std::complex<float>> smooth = field.images(ctx, turns, FieldImages::Part::center);
  const Index rows = images.extent(1);
  const Index columns = images.extent(2);
  Energies found;
  for (Index v = 0; v < images.extent(0); ++v) {
    for (Index y = 0; y < rows; ++y) {
      for (Index x = 0; x < columns; ++x) {
        const Index at = (v * rows + y) * columns + x;
        const std::complex<double> value(images.data()[at]);
        const std::complex<double> reference(smooth.data()[at]);
        const double length = std::abs(reference);
        if (length == 0) continue;
        const auto row = static_cast<std::size_t>(y) * side / static_cast<std::size_t>(rows);
        const auto column = static_cast<std::size_t>(x) * side / static_cast<std::size_t>(columns);
        found.out_of_phase[row * side + column] += std::pow((value * std::conj(reference)).imag() / length, 2);
        found.all[row * side + column] += std::norm(value);
      }
    }
  }
  return found;
}

// Mean square of the differences of neighboring blocks over twice the variance: 1 where neighbors have nothing in common,
// 0 for a field that is smooth.
double roughness(const BlockSums& turns, const BlockSums& weights, double variance) {
  double sum = 0;
  double total = 0;
  const auto add = [&](std::size_t a, std::size_t b) {
    const double weight = std::sqrt(weights[a] * weights[b]);
    sum += weight * (turns[a] - turns[b]) * (turns[a] - turns[b]);
    total += weight;
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    if (b % side + 1 < side) add(b, b + 1);
    if (b + side < blocks) add(b, b + side);
  }
  return total > 0 && variance > 0 ? sum / (2 * variance * total) : 1;
}

}  // namespace

// At the frequency of a part its pixels have the phase of the smooth image there; at others the blur has any phase (Noll,
// Pauly, Meyer, Nishimura, Macovski, Magn Reson Med 25:319, 1992).
Findings find_varying_field(const Context& ctx, Examination& examination, const FieldImages& field, double whole) {
  if (examination.scan().dim() != 2 || !field.time_follows_radius()) return {};
  const Energies before = energies(ctx, field, whole);
  BlockSums least = before.out_of_phase;
  BlockSums best{};
  for (double t = -most_local_turns; t <= most_local_turns; t += local_step) {
    ctx.check_cancel("off-resonance");
    const Energies now = energies(ctx, field, whole + t);
    for (std::size_t b = 0; b < blocks; ++b) {
      if (now.out_of_phase[b] >= least[b]) continue;
      least[b] = now.out_of_phase[b];
      best[b] = t;
    }
  }
  double total = 0;
  double mean = 0;
  double square = 0;
  double from = 0;
  double to = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    total += before.all[b];
    mean += before.all[b] * best[b];
    square += before.all[b] * best[b] * best[b];
    from += before.out_of_phase[b];
    to += least[b];
  }
  if (!(total > 0) || !(from > 0)) return {};
  mean /= total;
  const double variance = std::max(0.0, square / total - mean * mean);
  const double spread = std::sqrt(variance);
  if (to > most_left * from || spread < least_spread || roughness(best, before.all, variance) > most_roughness)
    return {};
  return {{.check = "off-resonance",
           .is_fault = false,
           .what = fmt::format(
               "the field varies over the object: parts of the image are sharpest at frequencies that differ by {:.2f} "
               "turns during a readout (standard deviation)",
               spread),
           .value = spread,
           .unit = "turns",
           .confidence = 1 - to / from,
           .remedy = "whorl fieldmap, from images of two echo times, and whorl recon --field-map; such a map decides"}};
}

}  // namespace whorl::doctor
