// Gradients that lag behind the receiver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "doctor/check.hpp"
#include "doctor/readout_shifts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/undo_delays.hpp"

namespace whorl::doctor {

namespace {

constexpr double least_delay = 0.1;       // samples
constexpr double sure_errors = 5;         // standard errors
constexpr double most_noise_error = 0.1;  // samples: a larger standard error is none of noise

double largest(const GradientDelays& d) {
  return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z), std::abs(d.xy), std::abs(d.xz), std::abs(d.yz)});
}

}  // namespace

Findings find_delays(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (examination.readout_length() < 2) return {};
  DelayEstimate estimate;
  try {
    estimate = estimate_delays(ctx, scan, examination.frame());
  } catch (const ValueError& error) {
    // Data that agree as they are leave nothing to know.
    const detail::CenterFit& fit = examination.nominal_fit(ctx);
    if (fit.grid == 0 || !examination.is_consistent(ctx, fit.residual)) {
      examination.undecided.emplace_back(error.what());
    }
    return {};
  }
  const double most = largest(estimate.delays);
  if (most < least_delay) return {};
  const GradientDelays& d = estimate.delays;
  const std::string numbers = text_of(d, scan.dim());
  if (!estimate.doubt.empty()) {
    // Half a sample or so, as noise gives it, is no suspicion.
    if (most < sure_errors * std::min(estimate.standard_error, most_noise_error)) return {};
    examination.undecided.push_back(
        fmt::format("gradient delays: {} samples were found, which do not hold: {}. More spokes decide, or a scan that "
                    "measures the delays.",
                    numbers, estimate.doubt));
    return {};
  }
  if (most < sure_errors * estimate.standard_error) return {};
  const Trajectory moved = delayed(ctx, *examination.frame().trajectory, d);
  const detail::CenterFit after = examination.fit(ctx, [&](Index j) { return examination.place_in(moved, j); });
  const bool has_explained = examination.explains(ctx, examination.nominal_fit(ctx).residual, after);
  if (!has_explained && !has_spokes(*examination.frame().trajectory)) return {};
  // Shifts of single spokes look like delays on average.
  if (!has_explained && !examination.is_consistent(ctx, after.residual) && explaining_shifts(ctx, examination)) {
    return {};
  }
  return {{.check = "gradient delays",
           .what = fmt::format("the gradients are delayed by {} samples ({}; standard error {:.3g})", numbers,
                               scan.dim() == 2 ? "x,y,xy" : "x,y,z,xy,xz,yz", estimate.standard_error),
           .value = most,
           .unit = "samples",
           .confidence = std::erf(most / estimate.standard_error / std::numbers::sqrt2),
           .remedy = "whorl recon --delays auto, or --delays " + numbers,
           .mend_text = fmt::format("readouts moved by the delays {} samples", numbers),
           .mend = [d](const Context& c, Scan& of) { undo_delays(c, of, d); }}};
}

}  // namespace whorl::doctor
