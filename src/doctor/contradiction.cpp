// What no other check explains.
#include <fmt/format.h>

#include "doctor/check.hpp"

namespace whorl::doctor {

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
