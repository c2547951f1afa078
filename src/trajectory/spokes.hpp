// Private: the spokes of a trajectory, their directions and radii.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl::detail {

/// Readouts that are straight lines through or from the center of k-space.
struct Spokes {
  Index length = 0;                               ///< samples of a spoke
  std::vector<std::array<double, 3>> directions;  ///< of each spoke, of length 1, towards its farthest sample
  std::vector<double> radii;                      ///< of each sample, along its spoke's direction

  std::span<const double> radii_of(std::size_t spoke) const {
    const auto size = static_cast<std::size_t>(length);
    return std::span(radii).subspan(spoke * size, size);
  }
};

/// Splits a trajectory into spokes. Messages begin with `operation`.
/// Throws ValueError for a readout length that is unknown or does not divide the number of samples, and for a readout
/// that is not a straight line through the center (spoke_line_tolerance) or stays at one position.
Spokes find_spokes(std::string_view operation, const Trajectory& trajectory);

}  // namespace whorl::detail
