#include "whorl/trajectory/random_trajectory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {

Trajectory random_trajectory(const Context& ctx, Index samples, int dim, RandomRegion region, std::uint64_t seed) {
  detail::check_count("random trajectory", "samples", samples);
  if (dim != 2 && dim != 3) throw ValueError(fmt::format("random trajectory: expected dim 2 or 3, got {}", dim));
  Trajectory trajectory{Array<double>(ctx, {samples, dim}), 0};
  const auto k = trajectory.points.view<2>();
  std::uint64_t draw = 0;
  for (Index sample = 0; sample < samples; ++sample) {
    detail::ask_at(ctx, sample);
    // Points in the box that lie in the ball are uniform there; one in two (dim 3) or four in five (dim 2) do.
    double square = 0;
    do {
      square = 0;
      for (Index axis = 0; axis < dim; ++axis) {
        const double value = random_uniform(seed, draw++) - 0.5;
        k(sample, axis) = value;
        square += value * value;
      }
    } while (region == RandomRegion::ball && square >= 0.25);
  }
  return trajectory;
}

}  // namespace whorl
