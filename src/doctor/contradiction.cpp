// What no other check explains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "doctor/check.hpp"
#include "whorl/core/random.hpp"
#include "whorl/correct/gradient_delays.hpp"

namespace whorl::doctor {

namespace {

constexpr std::uint64_t seed = 5;
constexpr std::uint64_t noise_seed = 11;
constexpr std::uint64_t points = 20;
constexpr double object_extent = 0.8;   // of the field of view
constexpr double larger_extent = 1.6;   // objects that few readouts do not tell from those within the field of view
constexpr double dense_spacing = 0.5;   // cycles per field of view
constexpr double nothing_foretold = 1;  // of the signal: what a fit of zeros would leave

// |y - fit| / |y| of points over this part of the field of view that are sampled at the same places, with as much noise
// as the scan has: what no scan along this trajectory could predict. Few samples let the fit enlarge the noise.
double expected(const Context& ctx, Examination& examination, double extent) {
  const Place place = [&](Index j) { return examination.nominal(j); };
  const double radius = detail::center_radius(examination.scan().dim());
  detail::CenterSamples samples = examination.center_samples(ctx, examination.samples_within(place, radius), place);
  const Index count = samples.values.rows();
  samples.values = detail::Matrix<double>::Zero(count, 1);
  for (Index i = 0; i < count; ++i) {
    const std::array<double, 3>& k = samples.places[static_cast<std::size_t>(i)];
    for (std::uint64_t p = 0; p < points; ++p) {
      double turns = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) turns += k[axis] * extent * (random_uniform(seed + axis, p) - 0.5);
      samples.values(i, 0) += std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  const double level = samples.values.norm() / std::sqrt(static_cast<double>(count)) * examination.relative_noise(ctx);
  for (Index i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    samples.values(i, 0) +=
        level / std::numbers::sqrt2 *
        std::complex<double>(random_normal(noise_seed, 2 * number), random_normal(noise_seed, 2 * number + 1));
  }
  return detail::fit_center(ctx, samples).residual;
}

// Spokes that lie half a cycle apart or more at the edge of the fit: a larger object looks like a contradiction then.
bool has_few_spokes(const Examination& examination) {
  const Trajectory& trajectory = *examination.frame().trajectory;
  if (examination.scan().dim() != 2 || trajectory.readout_length < 2 || !has_spokes(trajectory)) return false;
  const double spokes = static_cast<double>(trajectory.samples()) / static_cast<double>(trajectory.readout_length);
  return std::numbers::pi * detail::center_radius(2) / spokes > dense_spacing;
}

}  // namespace

Findings find_contradiction(const Context& ctx, Examination& examination) {
  const detail::CenterFit& fit = examination.nominal_fit(ctx);
  if (fit.grid == 0) {
    examination.undecided.emplace_back(
        "trajectory: fewer than 50 samples lie near the center of k-space; unit, order and place were not judged. More "
        "readouts decide.");
    return {};
  }
  if (examination.is_consistent(ctx, fit.residual)) return {};
  const double noise = examination.relative_noise(ctx);
  if (fit.residual <= 2 * noise) return {};
  double explained_by_sampling = expected(ctx, examination, object_extent);
  if (has_few_spokes(examination)) {
    explained_by_sampling = std::max(explained_by_sampling, expected(ctx, examination, larger_extent));
  }
  if (fit.residual <= 2 * explained_by_sampling || (has_few_spokes(examination) && fit.residual >= nothing_foretold)) {
    examination.undecided.emplace_back(
        "trajectory: the samples near the center of k-space lie too far apart to predict each other (Cartesian or "
        "undersampled); unit, order and place were hardly judged. A scan with more readouts decides.");
    return {};
  }
  return {
      {.check = "contradiction",
       .is_fault = false,
       .what = fmt::format(
           "samples near the center of k-space contradict each other by {:.1f} % of the signal{}: no single "
           "cause explains it (motion, readouts of different strength, off-resonance that varies, an object larger "
           "than the field of view); sampling and noise explain {:.2g} %",
           100 * fit.residual, noise > 0 ? fmt::format(", noise by {:.2g} %", 100 * noise) : "",
           100 * explained_by_sampling),
       .value = 100 * fit.residual,
       .unit = "% of the signal",
       .confidence = explained(fit.residual, explained_by_sampling),
       .remedy = "none; images of single readouts or frames decide (whorl recon --spokes-per-frame), and a field map"}};
}

}  // namespace whorl::doctor
