// Trajectories without structure, for tests.
#pragma once

#include "whorl/core/random.hpp"

namespace whorl::test {

/// Positions [sample, dim] on the host, uniform on [-1/2, 1/2], both ends included as the first two samples.
inline Array<double> random_points(const Context& ctx, Index samples, int dim, std::uint64_t seed = 11) {
  Array<double> points(ctx.host(), {samples, dim});
  for (Index i = 0; i < points.size(); ++i) {
    points.span()[static_cast<std::size_t>(i)] = random_uniform(seed, static_cast<std::uint64_t>(i)) - 0.5;
  }
  for (int axis = 0; axis < dim; ++axis) {
    points.data()[axis] = -0.5;
    points.data()[dim + axis] = 0.5;
  }
  return points;
}

}  // namespace whorl::test
