#include "whorl/scan/shift_k_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "whorl/core/error.hpp"

namespace whorl {

void shift_k_space(const Context& ctx, Scan& scan, const std::array<double, 3>& shift) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(shift[axis]) && (shift[axis] == 0 || static_cast<int>(axis) < scan.dim())) continue;
    throw ValueError(
        fmt::format("k-space shift: {} cycles per field of view along {} of an image in {}D, expected a finite number "
                    "along its axes",
                    shift[axis], "xyz"[axis], scan.dim()));
  }
  std::map<const Trajectory*, std::shared_ptr<const Trajectory>> moved;
  for (ScanFrame& frame : scan.frames) {
    auto& to = moved[frame.trajectory.get()];
    if (to == nullptr) {
      Trajectory made{clone(ctx.host(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
      const auto k = made.points.view<2>();
      for (Index j = 0; j < k.extent(0); ++j) {
        for (Index axis = 0; axis < k.extent(1); ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          k(j, axis) = std::clamp(k(j, axis) - shift[a] / static_cast<double>(scan.matrix[a]), -k_limit, k_limit);
        }
      }
      to = std::make_shared<const Trajectory>(std::move(made));
    }
    frame.trajectory = to;
  }
  scan.notes.push_back(
      fmt::format("K-space: its center lies at {:.2f}, {:.2f}, {:.2f} cycles per field of view along x, "
                  "y, z, and was moved to 0.",
                  shift[0], shift[1], shift[2]));
}

}  // namespace whorl
