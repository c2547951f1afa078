#include "io/scans/trajectory_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

template <class T>
std::string_view bytes_of(const Array<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), static_cast<std::size_t>(array.size()) * sizeof(T)};
}

std::string_view trajectory_bytes(const Trajectory& trajectory) { return bytes_of(trajectory.points); }
std::string_view weight_bytes(const Array<float>& weights) { return bytes_of(weights); }

std::array<double, 3> largest_magnitude(const Context& ctx,
                                        const std::vector<std::shared_ptr<Trajectory>>& trajectories) {
  double x = 0;
  double y = 0;
  double z = 0;
  for (const auto& trajectory : trajectories) {
    const Index dim = trajectory->points.extent(1);
    const double* const k = trajectory->points.data();
#pragma omp parallel for num_threads(ctx.threads()) reduction(max : x, y, z)
    for (Index sample = 0; sample < trajectory->samples(); ++sample) {
      const double* const at = k + sample * dim;
      x = std::max(x, std::abs(at[0]));
      y = std::max(y, std::abs(at[1]));
      if (dim == 3) z = std::max(z, std::abs(at[2]));
    }
  }
  return {x, y, z};
}

/// The largest -k along x and y.
std::array<double, 2> largest_below_zero(const std::vector<std::shared_ptr<Trajectory>>& trajectories) {
  std::array<double, 2> below{};
  for (const auto& trajectory : trajectories) {
    const auto k = trajectory->points.view<2>();
    for (Index sample = 0; sample < k.extent(0) && (below[0] == 0 || below[1] == 0); ++sample) {
      below[0] = std::max(below[0], -k(sample, 0));
      below[1] = std::max(below[1], -k(sample, 1));
    }
  }
  return below;
}

double farthest_in_plane(const std::vector<std::shared_ptr<Trajectory>>& trajectories, double x, double y) {
  double farthest = 0;
  for (const auto& trajectory : trajectories) {
    const auto k = trajectory->points.view<2>();
    for (Index j = 0; x > 0 && y > 0 && j < trajectory->samples(); ++j) {
      farthest = std::max(farthest, std::hypot(k(j, 0) / x, k(j, 1) / y));
    }
  }
  return farthest;
}

/// What the trajectories reach, of all readers.
struct Reach {
  std::array<double, 3> largest{};
  std::array<double, 2> below_zero{};
  double samples = 0;   // of the reader that has most
  double farthest = 0;  // the longest (k_x, k_y), in units of the largest along each axis
};

Reach reach_of(const Context& ctx, const std::vector<std::shared_ptr<Trajectory>>& trajectories,
               const TrajectoryScaling& scaling) {
  const auto [x, y, z] = largest_magnitude(ctx, trajectories);
  const auto [below_x, below_y] = largest_below_zero(trajectories);
  double samples = 0;
  for (const auto& trajectory : trajectories) samples += static_cast<double>(trajectory->samples());
  std::array<double, 7> all{x, y, z, below_x, below_y, samples, farthest_in_plane(trajectories, x, y)};
  if (scaling.largest_of_all) scaling.largest_of_all(all);
  return {{all[0], all[1], all[2]}, {all[3], all[4]}, all[5], all[6]};
}

/// Throws ValueError for positions that are all 0 or more along x and y: k = 0 is then at a corner of k-space, as in a file
/// that counts from 0 to 1.
void check_centered(const Reach& reach, const std::string& source) {
  constexpr double least_samples = 100;  // a spoke from the center or two may lie in a quadrant
  if (reach.samples < least_samples || reach.below_zero[0] > 0 || reach.below_zero[1] > 0) return;
  if (reach.largest[0] == 0 || reach.largest[1] == 0) return;  // other words tell of positions that are none
  // Spokes from the center in one quadrant end on an ellipse. A grid from 0 to 1 reaches to 1.41, a disc in it to 1.21.
  constexpr double most_of_quadrant = 1.1;
  if (reach.farthest < most_of_quadrant) return;
  throw ValueError(
      fmt::format("{}: no position is below 0 along x and y, so k = 0 lies at a corner of k-space; subtract its center "
                  "from the positions, or state trajectory-unit",
                  source));
}

/// Largest |k| of the axes that are in the file's unit.
std::array<double, 3> measured_part(std::array<double, 3> largest, const std::array<bool, 3>& counted) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (counted[axis]) largest[axis] = 0;
  }
  return largest;
}

/// If the pixels of the image are larger than those of the encoding, k-space exceeds the image's: a clearer message
/// than "over the limit".
void check_coarser(const std::array<double, 3>& cycles_per_grid_pixel, const TrajectoryScaling& scaling,
                   const std::string& source) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double k = cycles_per_grid_pixel[axis];
    const double limit = k_limit * (1 + k_rounding);
    if (k <= limit && k * scaling.pixel_ratio[axis] > limit) {
      throw ValueError(
          fmt::format("{}: along {} the header's image has pixels {:.4g} times as large as the encoding, so its matrix "
                      "holds k only up to {:.4g} of the {:.4g} cycles per encoded pixel that were measured; correct "
                      "the matrix or the field of view of the reconstruction space",
                      source, "xyz"[axis], scaling.pixel_ratio[axis], k_limit / scaling.pixel_ratio[axis], k));
    }
  }
}

}  // namespace

void TrajectorySet::attach(ScanFrame& frame, Trajectory trajectory, Array<float> weights) {
  frame.trajectory = trajectories_.add(std::move(trajectory), &trajectory_bytes);
  if (weights.size() > 0) frame.weights = weights_.add(std::move(weights), &weight_bytes);
}

void TrajectorySet::finish(const Context& ctx, Scan& scan, const TrajectoryScaling& scaling) const {
  const Reach reach = reach_of(ctx, trajectories_.all(), scaling);
  const std::array<double, 3>& largest = reach.largest;
  const std::array<double, 3> measured = measured_part(largest, scaling.counted);
  const bool all_counted = scaling.counted[0] && scaling.counted[1];
  std::array<double, 3> factors{1, 1, 1};
  if (all_counted) {
    scan.trajectory_unit = "cycles/pixel (made of counters)";
  } else {
    const bool stated = scaling.unit != TrajectoryUnit::automatic;
    if (!stated && !scaling.counted[0] && !scaling.counted[1]) check_centered(reach, scan.source);
    const TrajectoryUnit unit = stated ? scaling.unit : detect_trajectory_unit(measured, scaling.grid, scan.source);
    factors = cycles_per_pixel_factors(unit, scaling.grid);
    double fraction = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      fraction = std::max(fraction, measured[axis] * factors[axis] / k_limit);
      if (scaling.counted[axis]) factors[axis] = 1;
    }
    scan.trajectory_unit = fmt::format("{} ({})", to_string(unit), stated ? "stated" : "detected");
    if (!stated) {
      constexpr double far_within = 0.7;
      const bool doubtful = fraction < far_within;
      scan.notes.emplace_back(doubt_if(
          doubtful,
          fmt::format("Trajectory unit {}: the largest |k| is then {:.4g} of Nyquist{}.", scan.trajectory_unit,
                      fraction,
                      doubtful ? ", so pixels are finer than the data resolve, or trajectory-unit is another" : "")));
    }
  }
  std::array<double, 3> on_grid{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    on_grid[axis] = largest[axis] * factors[axis];
    factors[axis] *= scaling.pixel_ratio[axis];
  }
  check_coarser(on_grid, scaling, scan.source);
  Index moved = 0;
  for (const auto& trajectory : trajectories_.all()) {
    moved += scale_trajectory(ctx, trajectory->points, factors, scan.source + ": trajectory");
  }
  if (moved > 0) {
    scan.notes.emplace_back(
        fmt::format("{} positions were beyond Nyquist by at most a relative {:g} (rounding) and were moved to it.",
                    moved, k_rounding));
  }
}

}  // namespace whorl::io
