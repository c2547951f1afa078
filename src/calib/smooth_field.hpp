// The regularized fit of a field to products of echoes.
#pragma once

#include <array>
#include <vector>

#include "calib/echo_pairs.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

struct SmoothFit {
  const std::array<Index, 3>& extent;
  const std::vector<char>& mask;  ///< where the products count
  double smoothness = 0;          ///< in pixels
  int iterations = 1;             ///< at most
  double longest = 0;             ///< spacing of the pairs that count
};

/// Continues a field [z, y, x] from the mask: voxels beside known ones get the mean of these, layer by layer.
void continue_outside(const std::array<Index, 3>& extent, const std::vector<char>& mask, std::vector<double>& field);

/// Lessens the sum over pairs and voxels of the mask of |p| (1 - cos u) + beta/2 |D^H D f|^2 from a field f near its minimum.
/// D are first differences; beta = smoothness^4 times the median curvature of the first part. Each iteration minimizes a
/// quadratic function above it, by conjugate gradient.
void smooth_field(const Context& ctx, const EchoPairs& pairs, const SmoothFit& fit, std::vector<double>& field);

}  // namespace whorl
