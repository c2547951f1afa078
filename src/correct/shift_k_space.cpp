#include "whorl/correct/shift_k_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using Shift = std::array<double, 3>;

void check_shift(const Shift& shift, int dim, const std::string& of) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(shift[axis]) && (shift[axis] == 0 || static_cast<int>(axis) < dim)) continue;
    throw ValueError(fmt::format(
        "k-space shift{}: {} cycles per field of view along {} of an image in {}D, expected a finite number "
        "along its axes",
        of, shift[axis], "xyz"[axis], dim));
  }
}

// Positions k become k - shift_of(sample).
template <class ShiftOf>
Trajectory moved_by(const Context& ctx, const Trajectory& trajectory, const std::array<Index, 3>& matrix,
                    const ShiftOf& shift_of) {
  Trajectory made{clone(ctx.host(), trajectory.points.ref()), trajectory.readout_length};
  const auto k = made.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    const Shift& shift = shift_of(j);
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      k(j, axis) = std::clamp(k(j, axis) - shift[a] / static_cast<double>(matrix[a]), -k_limit, k_limit);
    }
  }
  return made;
}

Index whole_readouts(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  return length > 0 && trajectory.samples() % length == 0 ? trajectory.samples() / length : 0;
}

}  // namespace

void shift_k_space(const Context& ctx, Scan& scan, const std::array<double, 3>& shift) {
  check_shift(shift, scan.dim(), "");
  std::map<const Trajectory*, std::shared_ptr<const Trajectory>> moved;
  for (ScanFrame& frame : scan.frames) {
    auto& to = moved[frame.trajectory.get()];
    if (to == nullptr) {
      to = std::make_shared<const Trajectory>(
          moved_by(ctx, *frame.trajectory, scan.matrix, [&](Index) -> const Shift& { return shift; }));
    }
    frame.trajectory = to;
  }
  scan.notes.emplace_back(
      fmt::format("K-space: its center lies at {:.2f}, {:.2f}, {:.2f} cycles per field of view along x, "
                  "y, z, and was moved to 0.",
                  shift[0], shift[1], shift[2]),
      NoteKind::answer);
}

Trajectory shifted_readouts(const Context& ctx, const Trajectory& trajectory, const std::array<Index, 3>& matrix,
                            const std::vector<std::array<double, 3>>& shifts) {
  const auto count = static_cast<Index>(shifts.size());
  if (whole_readouts(trajectory) != count || count == 0) {
    throw ValueError(fmt::format("k-space shift: {} shifts of readouts for {}, expected one for each", count,
                                 whole_readouts(trajectory) == 0
                                     ? "readouts of unknown or unequal length"
                                     : fmt::format("{} readouts", whole_readouts(trajectory))));
  }
  for (Index readout = 0; readout < count; ++readout) {
    check_shift(shifts[static_cast<std::size_t>(readout)], trajectory.dim(), fmt::format(" of readout {}", readout));
  }
  return moved_by(ctx, trajectory, matrix, [&](Index j) -> const Shift& {
    return shifts[static_cast<std::size_t>(j / trajectory.readout_length)];
  });
}

void shift_readouts(const Context& ctx, Scan& scan, const std::vector<std::array<double, 3>>& shifts) {
  std::vector<const Trajectory*> trajectories;
  bool is_alike = true;
  Index readouts = 0;
  for (const ScanFrame& frame : scan.frames) {
    const Trajectory* trajectory = frame.trajectory.get();
    if (std::find(trajectories.begin(), trajectories.end(), trajectory) != trajectories.end()) continue;
    trajectories.push_back(trajectory);
    readouts += whole_readouts(*trajectory);
    is_alike = is_alike && whole_readouts(*trajectory) == static_cast<Index>(shifts.size());
  }
  if (!is_alike && readouts != static_cast<Index>(shifts.size())) {
    throw ValueError(fmt::format(
        "k-space shift: {} shifts of readouts, expected one for each readout of a frame, or {} for those of the {} "
        "trajectories of the scan",
        shifts.size(), readouts, trajectories.size()));
  }
  std::map<const Trajectory*, std::shared_ptr<const Trajectory>> moved;
  auto first = shifts.begin();
  for (const Trajectory* trajectory : trajectories) {
    if (is_alike) first = shifts.begin();
    const auto last = first + whole_readouts(*trajectory);
    moved[trajectory] =
        std::make_shared<const Trajectory>(shifted_readouts(ctx, *trajectory, scan.matrix, {first, last}));
    first = last;
  }
  for (ScanFrame& frame : scan.frames) frame.trajectory = moved.at(frame.trajectory.get());
  double square = 0;
  double largest = 0;
  for (const Shift& shift : shifts) {
    const double length = std::hypot(shift[0], shift[1], shift[2]);
    square += length * length / static_cast<double>(shifts.size());
    largest = std::max(largest, length);
  }
  scan.notes.emplace_back(
      fmt::format("K-space: each of {} readouts was moved by the shift of its center, root mean square {:.3f}, at most "
                  "{:.3f} cycles per field of view.",
                  shifts.size(), std::sqrt(square), largest),
      NoteKind::answer);
}

}  // namespace whorl
