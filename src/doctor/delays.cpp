// Gradients that lag behind the receiver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "doctor/check.hpp"
#include "doctor/readout_shifts.hpp"
#include "whorl/calib/estimate_delays.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/gradient_delays.hpp"

namespace whorl::doctor {

namespace {

constexpr double least_delay = 0.1;  // samples
constexpr double sure_errors = 5;    // standard errors

void delay(const Context& ctx, Scan& scan, const GradientDelays& delays) {
  std::map<const Trajectory*, std::shared_ptr<const Trajectory>> moved;
  for (ScanFrame& frame : scan.frames) {
    auto& to = moved[frame.trajectory.get()];
    if (to == nullptr) to = std::make_shared<const Trajectory>(delayed(ctx, *frame.trajectory, delays));
    frame.trajectory = to;
  }
}

double largest(const GradientDelays& d) {
  return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z), std::abs(d.xy), std::abs(d.xz), std::abs(d.yz)});
}

}  // namespace

Findings find_delays(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (examination.readout_length() < 2) return {};
  DelayEstimate estimate;
  try {
    estimate = estimate_delays(ctx, *examination.frame().trajectory, examination.frame().data, scan.image_shape());
  } catch (const ValueError& error) {
    examination.undecided.emplace_back(error.what());
    return {};
  }
  const double most = largest(estimate.delays);
  if (most < std::max(least_delay, sure_errors * estimate.standard_error)) return {};
  const GradientDelays& d = estimate.delays;
  const Trajectory moved = delayed(ctx, *examination.frame().trajectory, d);
  const auto k = moved.points.view<2>();
  const detail::CenterFit after = examination.fit(ctx, [&](Index j) {
    std::array<double, 3> place{};
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      place[a] = k(j, axis) * static_cast<double>(scan.matrix[a]);
    }
    return place;
  });
  const bool has_explained = examination.explains(ctx, examination.nominal_fit(ctx).residual, after);
  if (!has_explained && !has_spokes(*examination.frame().trajectory)) return {};
  // Shifts of single spokes look like delays on average.
  if (!has_explained && !examination.is_consistent(ctx, after.residual) && explaining_shifts(ctx, examination)) {
    return {};
  }
  const std::string numbers =
      scan.dim() == 2 ? fmt::format("{:.3f},{:.3f},{:.3f}", d.x, d.y, d.xy)
                      : fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", d.x, d.y, d.z, d.xy, d.xz, d.yz);
  return {{.check = "gradient delays",
           .what = fmt::format("the gradients are delayed by {} samples ({}; standard error {:.3g})", numbers,
                               scan.dim() == 2 ? "x,y,xy" : "x,y,z,xy,xz,yz", estimate.standard_error),
           .value = most,
           .unit = "samples",
           .confidence = std::erf(most / estimate.standard_error / std::numbers::sqrt2),
           .remedy = "whorl recon --delays auto, or --delays " + numbers,
           .mend_text = fmt::format("readouts moved by the delays {} samples", numbers),
           .mend = [d](const Context& c, Scan& of) { delay(c, of, d); }}};
}

}  // namespace whorl::doctor
