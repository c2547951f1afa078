#include "whorl/trajectory/cartesian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trajectory/line_grid.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

constexpr const char* mask_operation = "Cartesian mask";

void check_axis(const CartesianOptions& options, std::size_t axis) {
  const char name = "yz"[axis];
  const Index lines = options.matrix[axis + 1];
  const double acceleration = options.acceleration[axis];
  if (!(acceleration >= 1 && acceleration <= static_cast<double>(lines))) {
    throw ValueError(fmt::format("{}: expected an acceleration along {} from 1 to its {} lines, got {}", mask_operation,
                                 name, lines, acceleration));
  }
  if (options.undersampling == Undersampling::regular && acceleration != std::floor(acceleration)) {
    throw ValueError(fmt::format("{}: regular undersampling along {} needs a whole number, got {}", mask_operation,
                                 name, acceleration));
  }
  if (options.calibration[axis] > lines) {
    throw ValueError(fmt::format("{}: expected a calibration region along {} of 0 to {} lines, got {}", mask_operation,
                                 name, lines, options.calibration[axis]));
  }
}

void check(const CartesianOptions& options) {
  constexpr Index most = 65535;
  constexpr Index most_lines = Index{1} << 26;
  const auto& matrix = options.matrix;
  if (matrix[0] < 2 || matrix[1] < 1 || matrix[2] < 1 || *std::max_element(matrix.begin(), matrix.end()) > most ||
      matrix[1] * matrix[2] > most_lines) {
    throw ValueError(
        fmt::format("{}: expected a matrix of at least 2 x 1 x 1, at most {} along an axis and {} lines, "
                    "got {} x {} x {}",
                    mask_operation, most, most_lines, matrix[0], matrix[1], matrix[2]));
  }
  check_options(options);
  check_axis(options, 0);
  check_axis(options, 1);
}

// Marks the lines of the calibration region.
void take_calibration(const CartesianOptions& options, std::vector<std::uint8_t>& taken) {
  const auto [y_lines, z_lines] = options.calibration;
  const Index y = options.matrix[1];
  const Index z = options.matrix[2];
  // In 2D only the calibration extent along y counts. In 3D a region without extent along an axis is empty.
  const Index z_extent = z == 1 ? 1 : z_lines;
  for (Index i = z / 2 - z_extent / 2; i < z / 2 - z_extent / 2 + z_extent; ++i) {
    for (Index j = y / 2 - y_lines / 2; j < y / 2 - y_lines / 2 + y_lines; ++j) {
      taken[static_cast<std::size_t>(i * y + j)] = 1;
    }
  }
}

void take_regular(const CartesianOptions& options, std::vector<std::uint8_t>& taken) {
  const Index y = options.matrix[1];
  const auto on_grid = [&](Index i, std::size_t axis) {
    return (i - options.matrix[axis + 1] / 2) % static_cast<Index>(options.acceleration[axis]) == 0;
  };
  for (Index line = 0; line < static_cast<Index>(taken.size()); ++line) {
    if (on_grid(line % y, 0) && on_grid(line / y, 1)) taken[static_cast<std::size_t>(line)] = 1;
  }
}

// Number of lines of the random kinds.
Index wanted_lines(const CartesianOptions& options, const std::vector<std::uint8_t>& taken) {
  const double acceleration = options.acceleration[0] * options.acceleration[1];
  const Index wanted = std::max<Index>(1, std::llround(static_cast<double>(taken.size()) / acceleration));
  const Index calibration = std::accumulate(taken.begin(), taken.end(), Index{0});
  if (calibration > wanted) {
    throw ValueError(
        fmt::format("{}: the calibration region has {} lines, more than the {} that an acceleration of {} leaves",
                    mask_operation, calibration, wanted, acceleration));
  }
  return wanted;
}

void leave_out_negative(const CartesianOptions& options, std::vector<std::uint8_t>& taken) {
  const Index y = options.matrix[1];
  const auto first_taken = [&](std::size_t axis) {
    const auto n = static_cast<double>(options.matrix[axis + 1]);
    return options.matrix[axis + 1] - static_cast<Index>(std::llround(std::ceil(options.partial_fourier[axis] * n)));
  };
  for (Index line = 0; line < static_cast<Index>(taken.size()); ++line) {
    if (line % y < first_taken(0) || line / y < first_taken(1)) taken[static_cast<std::size_t>(line)] = 0;
  }
}

}  // namespace

Array<std::uint8_t> cartesian_mask(const Context& ctx, const CartesianOptions& options) {
  check(options);
  const detail::LineGrid grid{options.matrix[1], options.matrix[2]};
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(grid.lines()), 0);
  take_calibration(options, taken);
  switch (options.undersampling) {
    case Undersampling::none:
      std::fill(taken.begin(), taken.end(), std::uint8_t{1});
      break;
    case Undersampling::regular:
      take_regular(options, taken);
      break;
    case Undersampling::random:
      detail::take_random(ctx, grid, options, wanted_lines(options, taken), taken);
      break;
    case Undersampling::poisson_disc:
      detail::take_poisson_disc(ctx, grid, options, wanted_lines(options, taken), taken);
      break;
  }
  leave_out_negative(options, taken);
  take_calibration(options, taken);
  Array<std::uint8_t> mask(ctx, {grid.z, grid.y});
  std::copy(taken.begin(), taken.end(), mask.data());
  return mask;
}

Trajectory cartesian_trajectory(const Context& ctx, Index readout, ArrayRef<const std::uint8_t> mask) {
  const auto lines = mask.view<2>();
  const auto values = mask.span();
  const Index count = std::count_if(values.begin(), values.end(), [](std::uint8_t mark) { return mark != 0; });
  const Index z = lines.extent(0);
  const Index y = lines.extent(1);
  Trajectory trajectory = detail::make_readouts(ctx, "Cartesian trajectory", "lines", count, readout, z > 1 ? 3 : 2);
  const auto k = trajectory.points.view<2>();
  Index sample = 0;
  for (Index line = 0; line < z * y; ++line) {
    if (values[static_cast<std::size_t>(line)] == 0) continue;
    for (Index i = 0; i < readout; ++i, ++sample) {
      detail::ask_at(ctx, sample);
      k(sample, 0) = detail::grid_position(i, readout);
      k(sample, 1) = detail::grid_position(line % y, y);
      if (z > 1) k(sample, 2) = detail::grid_position(line / y, z);
    }
  }
  return trajectory;
}

}  // namespace whorl
