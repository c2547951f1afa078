#include "whorl/job/corrections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "job/inputs.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/estimate_motion.hpp"
#include "whorl/correct/estimate_readout_shifts.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/correct/play_gradients.hpp"
#include "whorl/correct/shift_k_space.hpp"
#include "whorl/correct/undo_delays.hpp"
#include "whorl/doctor/k_space_center.hpp"
#include "whorl/io/gradient_response_file.hpp"
#include "whorl/scan/shift_field_of_view.hpp"

namespace whorl {

namespace {

using Shift = std::array<double, 3>;

Shift shift_of(const std::vector<double>& numbers) {
  return {numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 0};
}

void correct_delays(const Context& ctx, const Corrections& wanted, Scan& scan) {
  if (wanted.find_delays) return undo_estimated_delays(ctx, scan);
  if (wanted.delays.empty()) return;
  const GradientDelays given = delays_from(wanted.delays, scan.dim());
  scan.notes.emplace_back(fmt::format("Gradient delays: {} samples, as given.", text_of(given, scan.dim())),
                          NoteKind::answer);
  undo_delays(ctx, scan, given);
}

Note words_of(const ReadoutShifts& found, int slice) {
  if (!found.is_significant) {
    return {fmt::format("K-space: the readouts of slice {} agree but for noise (standard error of their shifts {:.2g} "
                        "cycles per field of view); none was moved.",
                        slice, found.standard_error),
            NoteKind::answer};
  }
  if (!found.is_borne_out) {
    return {fmt::format("K-space: shifts of the readouts of slice {} were found and not undone: readouts that are left "
                        "out are predicted worse with them.",
                        slice),
            NoteKind::doubt};
  }
  return {fmt::format(
              "K-space: shifts of {} readouts, estimated from {} samples near its center of slice {}, standard "
              "error {:.2g} cycles per field of view; what contradicts falls from {:.2g} to {:.2g} % of the signal.",
              found.shifts.size(), found.samples, slice, found.standard_error, 100 * found.before, 100 * found.after),
          NoteKind::answer};
}

// Shifts of each trajectory, by the first frame that has it. Where they are no more than noise, they are 0.
std::vector<Shift> found_shifts(const Context& ctx, Scan& scan) {
  std::vector<const Trajectory*> known;
  std::vector<Shift> all;
  for (const ScanFrame& frame : scan.frames) {
    if (std::find(known.begin(), known.end(), frame.trajectory.get()) != known.end()) continue;
    known.push_back(frame.trajectory.get());
    ReadoutShifts found = estimate_readout_shifts(ctx, *frame.trajectory, frame.data, scan.image_shape());
    if (!found.is_significant || !found.is_borne_out) found.shifts.assign(found.shifts.size(), {});
    scan.notes.emplace_back(words_of(found, frame.index.slice));
    all.insert(all.end(), found.shifts.begin(), found.shifts.end());
  }
  return all;
}

Array<double> correct_center(const Context& ctx, const Corrections& wanted, Scan& scan) {
  std::vector<Shift> shifts;
  if (wanted.readout_shifts.given()) {
    const auto rows = job::array_from<double>(ctx, wanted.readout_shifts);
    shifts = readout_shifts_from(*rows, scan.dim(), wanted.readout_shifts.name());
  }
  if (wanted.find_readout_shifts) shifts = found_shifts(ctx, scan);
  const auto is_moved = [](const Shift& shift) { return shift != Shift{}; };
  if (std::any_of(shifts.begin(), shifts.end(), is_moved)) shift_readouts(ctx, scan, shifts);
  if (wanted.find_k_shift) shift_k_space(ctx, scan, k_space_center(ctx, scan));
  if (!wanted.k_shift.empty()) shift_k_space(ctx, scan, shift_of(wanted.k_shift));
  Array<double> rows(ctx.host(), {static_cast<Index>(shifts.size()), scan.dim()});
  double* to = rows.data();
  for (const Shift& shift : shifts) to = std::copy_n(shift.begin(), scan.dim(), to);
  return rows;
}

Array<double> correct_motion(const Context& ctx, const Corrections& wanted, Scan& scan) {
  std::vector<ObjectPose> poses;
  if (wanted.motion.given()) {
    poses = object_poses(*job::array_from<double>(ctx, wanted.motion), scan.dim());
  } else if (wanted.motion_readouts > 0) {
    MotionEstimate found = estimate_motion(ctx, scan, wanted.motion_readouts);
    scan.notes.emplace_back(
        fmt::format(
            "Motion: estimated from images of {:.3g} mm, standard errors of at most {:.2g} mm and {:.2g} degrees.",
            found.resolution_mm, found.standard_error_mm, found.standard_error_degrees),
        NoteKind::answer);
    poses = std::move(found.poses);
  }
  if (!poses.empty()) undo_motion(ctx, scan, poses);
  Array<double> rows(ctx.host(), {static_cast<Index>(poses.size()), 6});
  double* to = rows.data();
  for (const ObjectPose& pose : poses) {
    to = std::copy(pose.shift_mm.begin(), pose.shift_mm.end(), to);
    to = std::copy(pose.rotation_degrees.begin(), pose.rotation_degrees.end(), to);
  }
  return rows;
}

}  // namespace

bool Corrections::any() const {
  return needs_data() || response.given() || !delays.empty() || !k_shift.empty() || readout_shifts.given();
}

bool Corrections::needs_data() const {
  return find_delays || motion.given() || motion_readouts > 0 || find_k_shift || find_readout_shifts ||
         !fov_shift.empty() || fov_to_header;
}

GradientDelays delays_from(const std::vector<double>& numbers, int dim) {
  const auto n = numbers.size();
  if (dim == 2 && (n == 2 || n == 3)) return {.x = numbers[0], .y = numbers[1], .xy = n == 3 ? numbers[2] : 0};
  // As GradientDelays has them, in the plane.
  const bool in_plane = n == 6 && numbers[2] == 0 && numbers[4] == 0 && numbers[5] == 0;
  if (dim == 2 && in_plane) return {.x = numbers[0], .y = numbers[1], .xy = numbers[3]};
  if (dim == 3 && (n == 3 || n == 6)) {
    GradientDelays delays{.x = numbers[0], .y = numbers[1], .z = numbers[2]};
    if (n == 6) std::tie(delays.xy, delays.xz, delays.yz) = std::tie(numbers[3], numbers[4], numbers[5]);
    return delays;
  }
  throw ValueError(fmt::format("gradient delays: {} numbers for an image in {}D, expected {}", n, dim, delay_form));
}

std::vector<std::array<double, 3>> readout_shifts_from(ArrayRef<const double> rows, int dim,
                                                       const std::string& source) {
  if (rows.rank() != 2 || rows.extent(0) == 0 || (rows.extent(1) != dim && rows.extent(1) != 3)) {
    throw ShapeError(fmt::format("'{}': shifts of readouts of shape {}, expected [readout, {}]", source,
                                 to_string(rows.shape()), dim == 2 ? "2 or 3" : "3"));
  }
  std::vector<Shift> shifts(static_cast<std::size_t>(rows.extent(0)));
  const double* from = rows.data();
  for (Shift& shift : shifts) {
    std::copy_n(from, rows.extent(1), shift.begin());
    from += rows.extent(1);
  }
  return shifts;
}

Corrected correct(const Context& ctx, const Corrections& wanted, Scan& scan, std::optional<double> dwell_us) {
  if (wanted.response.value != nullptr) {
    play_gradients(ctx, scan, *wanted.response.value, dwell_us, wanted.lead);
  } else if (wanted.response.given()) {
    play_gradients(ctx, scan, read_gradient_response(ctx, wanted.response.file), dwell_us, wanted.lead);
  }
  correct_delays(ctx, wanted, scan);
  Array<double> shifts = correct_center(ctx, wanted, scan);
  Array<double> poses = correct_motion(ctx, wanted, scan);
  if (wanted.fov_to_header) shift_to_header(scan);
  if (!wanted.fov_shift.empty()) shift_field_of_view(scan, shift_of(wanted.fov_shift));
  return {std::move(poses), std::move(shifts)};
}

}  // namespace whorl
