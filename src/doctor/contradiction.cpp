// What no other check explains.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "doctor/check.hpp"
#include "whorl/core/random.hpp"

namespace whorl::doctor {

namespace {

constexpr std::uint64_t seed = 5;
constexpr std::uint64_t points = 20;

// |y - fit| / |y| of points in the field of view that are sampled at the same places: what no scan along this trajectory
// could foretell.
double left_by_sampling(const Context& ctx, Examination& examination) {
  const Place place = [&](Index j) { return examination.nominal(j); };
  const double radius = detail::center_radius(examination.scan().dim());
  detail::CenterSamples samples = examination.center_samples(ctx, examination.samples_within(place, radius), place);
  samples.values = detail::Matrix<double>::Zero(samples.values.rows(), 1);
  for (Index i = 0; i < samples.values.rows(); ++i) {
    const std::array<double, 3>& k = samples.places[static_cast<std::size_t>(i)];
    for (std::uint64_t p = 0; p < points; ++p) {
      double turns = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) turns += k[axis] * 0.8 * (random_uniform(seed + axis, p) - 0.5);
      samples.values(i, 0) += std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  return detail::fit_center(ctx, samples).residual;
}

}  // namespace

Findings find_contradiction(const Context& ctx, Examination& examination) {
  const detail::CenterFit& fit = examination.nominal_fit(ctx);
  if (fit.grid == 0) {
    examination.undecided.emplace_back(
        "trajectory: fewer than 50 samples lie near the center of k-space; unit, order and place were not judged.");
    return {};
  }
  if (examination.is_consistent(ctx, fit.residual)) return {};
  const double noise = examination.relative_noise(ctx);
  if (fit.residual <= 2 * noise) return {};
  if (fit.residual <= 2 * left_by_sampling(ctx, examination)) {
    examination.undecided.emplace_back(
        "trajectory: the samples near the center of k-space lie too far apart to foretell each other (Cartesian or "
        "undersampled); unit, order and place were hardly judged.");
    return {};
  }
  return {{.check = "contradiction",
           .is_fault = false,
           .what = fmt::format(
               "samples near the center of k-space contradict each other by {:.1f} % of the signal{}: no single "
               "cause explains it (motion, readouts of different strength, off-resonance, undersampling)",
               100 * fit.residual, noise > 0 ? fmt::format(", noise by {:.2g} %", 100 * noise) : ""),
           .value = 100 * fit.residual,
           .unit = "% of the signal",
           .confidence = 1,
           .remedy = "none"}};
}

}  // namespace whorl::doctor
