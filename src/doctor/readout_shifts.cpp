// Readouts whose k-space is shifted, each by another vector.
#include "doctor/readout_shifts.hpp"

#include <fmt/format.h>

#include "doctor/check.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/shift_k_space.hpp"

namespace whorl::doctor {

std::optional<ReadoutShifts> explaining_shifts(const Context& ctx, Examination& examination) {
  const double before = examination.nominal_fit(ctx).residual;
  if (examination.nominal_fit(ctx).grid == 0 || examination.is_consistent(ctx, before)) return {};
  ReadoutShifts found;
  try {
    found = estimate_readout_shifts(ctx, *examination.frame().trajectory, examination.frame().data,
                                    examination.scan().image_shape());
  } catch (const ValueError&) {
    // The contradiction itself is said by find_contradiction.
    return {};
  }
  if (!found.is_significant || !found.is_borne_out) return {};
  const Index length = examination.readout_length();
  const detail::CenterFit after = examination.fit(ctx, [&](Index j) {
    std::array<double, 3> place = examination.nominal(j);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[axis] -= found.shifts[static_cast<std::size_t>(j / length)][axis];
    }
    return place;
  });
  if (!examination.explains(ctx, before, after)) return {};
  found.before = before;
  found.after = after.residual;
  return found;
}

Findings find_readout_shifts(const Context& ctx, Examination& examination) {
  const std::optional<ReadoutShifts> found = explaining_shifts(ctx, examination);
  if (!found) return {};
  return {{.check = "readout shifts",
           .what = fmt::format("the centers of k-space of the readouts lie up to {:.3f} cycles per field of view from "
                               "their mean (standard error {:.2g})",
                               found->largest, found->standard_error),
           .value = found->largest,
           .unit = "cycles per field of view",
           .confidence = explained(found->before, found->after),
           .remedy = "whorl recon --k-shift readouts",
           .mend_text = fmt::format("each of {} readouts moved by its shift", found->shifts.size()),
           .mend = [shifts = found->shifts, trajectory = examination.frame().trajectory](const Context& c, Scan& of) {
             const auto moved = std::make_shared<const Trajectory>(shifted_readouts(c, *trajectory, of.matrix, shifts));
             // Other trajectories have other readouts, whose shifts the first frame does not tell.
             for (ScanFrame& frame : of.frames) {
               if (frame.trajectory == trajectory) frame.trajectory = moved;
             }
           }}};
}

}  // namespace whorl::doctor
