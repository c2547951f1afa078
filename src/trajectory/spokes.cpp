#include "trajectory/spokes.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::detail {

void check_readouts(std::string_view operation, std::string_view readouts, Index count, Index samples) {
  if (count < 1) {
    throw ValueError(fmt::format("{}: expected at least 1 of the {}, got {}", operation, readouts, count));
  }
  if (samples < 2) {
    throw ValueError(
        fmt::format("{}: expected at least 2 samples in each of the {}, got {}", operation, readouts, samples));
  }
}

void write_spoke(Trajectory& trajectory, Index spoke, const std::array<double, 3>& direction) {
  const Index readout = trajectory.readout_length;
  const auto k = trajectory.points.view<2>();
  const Index center = readout / 2;
  for (Index i = 0; i < readout; ++i) {
    const double radius = static_cast<double>(i - center) / static_cast<double>(readout);
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      k(spoke * readout + i, axis) = radius * direction[static_cast<std::size_t>(axis)];
    }
  }
}

}  // namespace whorl::detail
