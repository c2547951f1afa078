// Private: the grid of phase encodings of Cartesian trajectories.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "trajectory/readouts.hpp"
#include "whorl/trajectory/cartesian.hpp"

namespace whorl::detail {

/// Lines y (fastest) and z, and their positions.
struct LineGrid {
  Index y;
  Index z;

  Index lines() const { return y * z; }
  /// |k| over 0.5 of a line in the plane of phase encoding: 1 at the edges, more in the corners.
  double radius(Index line) const { return 2 * std::hypot(grid_position(line % y, y), grid_position(line / y, z)); }
};

/// The lines of a random mask: `wanted` in total, including those that `taken` (1 or 0 per line) already marks.
void take_random(const Context& ctx, const LineGrid& grid, const CartesianOptions& options, Index wanted,
                 std::vector<std::uint8_t>& taken);

/// The lines of a Poisson-disc mask: `wanted` in total, including those already marked.
void take_poisson_disc(const Context& ctx, const LineGrid& grid, const CartesianOptions& options, Index wanted,
                       std::vector<std::uint8_t>& taken);

}  // namespace whorl::detail
