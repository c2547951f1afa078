// Private: checks and readouts for making trajectories.
#pragma once

#include <array>
#include <string_view>

#include "core/ask.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::detail {

/// The most samples of one trajectory: 100 GB of positions. More is a mistake in a number.
inline constexpr Index most_samples = Index{1} << 32;

/// Throws ValueError unless 1 <= count <= most_samples. `what` is the plural of the counted items.
void check_count(std::string_view operation, std::string_view what, Index count);

/// Throws ValueError for no readout, a readout of fewer than 2 samples, or more than most_samples in total. `readouts`
/// is their name.
void check_readouts(std::string_view operation, std::string_view readouts, Index count, Index samples);

/// Throws ValueError unless the value is finite and above zero.
void check_positive(std::string_view operation, std::string_view what, double value);

/// Position of grid point i of n in k-space: (i - floor(n / 2)) / n.
inline double grid_position(Index i, Index n) {
  const Index from_center = i - n / 2;
  return static_cast<double>(from_center) / static_cast<double>(n);
}

/// For loops over samples: asks now and then whether the work is to stop. Throws Cancelled.
inline void ask_at(const Context& ctx, Index sample) { ask_at(ctx, sample, "trajectory"); }

/// A trajectory of `count` readouts after check_readouts, its positions not yet set.
Trajectory make_readouts(const Context& ctx, std::string_view operation, std::string_view readouts, Index count,
                         Index samples, Index dim);

/// The begin of a straight readout through the center.
enum class SpokeStart {
  edge,    ///< radius (i - floor(n/2)) / n
  center,  ///< radius i / (2 n)
};

/// Writes spoke `spoke` of a trajectory along a unit vector.
void write_spoke(const Context& ctx, Trajectory& trajectory, Index spoke, const std::array<double, 3>& direction,
                 SpokeStart start);

}  // namespace whorl::detail
