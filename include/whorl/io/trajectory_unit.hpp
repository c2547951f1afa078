// TrajectoryUnit: the unit of a file's k-space positions, and the conversion to cycles per pixel.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Unit of k-space positions in a file. Text names: auto, cycles/fov, cycles/pixel, rad/pixel, nyquist (positions from -1
/// to 1: half cycles per pixel), 1/m, 1/cm, 1/mm, rad/m, rad/mm.
enum class TrajectoryUnit {
  automatic,
  cycles_per_fov,
  cycles_per_pixel,
  radians_per_pixel,
  nyquist,
  inverse_meter,
  inverse_centimeter,
  inverse_millimeter,
  radians_per_meter,
  radians_per_millimeter
};

/// Whether the size of a pixel in mm turns it into cycles per pixel.
bool is_metric(TrajectoryUnit unit);

std::string_view to_string(TrajectoryUnit unit);

/// All text names.
std::vector<std::string> trajectory_unit_names();

/// The unit with this text name. Throws ValueError, listing the names.
TrajectoryUnit trajectory_unit_from_string(std::string_view name);

/// Largest relative excess over Nyquist that counts as rounding, not as a wrong unit. It covers float32 files (1e-7),
/// pi written as 3.1416 (2e-6) and a gyromagnetic ratio of three digits (42.6 for 42.577 MHz/T, 5e-4). Such a sample,
/// at the edge of k-space, is moved to Nyquist: by at most 0.0005 N cells of k-space, 0.13 cells for N = 256.
inline constexpr double k_rounding = 1e-3;

/// The matrix of a trajectory: pixels and field of view along x, y, z. A field of view of 0 is unknown.
struct EncodedGrid {
  std::array<Index, 3> matrix{1, 1, 1};
  std::array<double, 3> field_of_view_mm{0, 0, 0};
};

/// Factors per axis that turn `unit` into cycles per pixel of the grid.
/// Throws ValueError for a metric unit with an unknown field of view, and for `automatic`.
std::array<double, 3> cycles_per_pixel_factors(TrajectoryUnit unit, const EncodedGrid& grid);

/// Finds the unit from the largest |k| along each axis.
///
/// A unit is plausible if the largest |k|, as a fraction of Nyquist (each axis against its own), is between 0.25 and 1
/// + k_rounding. Metric units need a field of view and a fraction between 0.9 and 1.02, because their values have any magnitude, and
/// no other unit that reaches 0.85: pixels of about 1 mm make 1/mm the same as cycles/pixel.
/// Positions that end at 1 (0.95 to 1 + k_rounding) are in units of Nyquist, not in rad/pixel, where they would leave two
/// thirds of k-space empty; from 0.785 on they may be in either. If exactly one unit is plausible, it is the result; else a ValueError lists the possible units.
///
/// `largest` has one value per axis; 0 leaves an axis out.
TrajectoryUnit detect_trajectory_unit(const std::array<double, 3>& largest, const EncodedGrid& grid,
                                      std::string_view source);

/// Multiplies positions [sample, dim] by a factor per axis. Positions beyond 0.5 cycles per pixel by at most k_rounding
/// are moved to 0.5; returns their number. Throws ValueError, naming the first sample that is not finite or further
/// out.
Index scale_trajectory(const Context& ctx, ArrayRef<double> points, const std::array<double, 3>& factors,
                       std::string_view source);

}  // namespace whorl
