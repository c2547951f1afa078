// Root sum of squares: the images of several coils as one.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace whorl {

struct RootSumOfSquaresOptions {
  std::optional<Index> coils;  ///< volumes that make one, one after the other; none: all
};

/// sqrt(sum over coils of |v|^2), pixel by pixel, of gray or complex float32 (Unsupported else): within
/// (coils + 2) 6e-8 of the result.
/// Throws  ShapeError where the volumes are not a multiple of `coils`
/// Source  Roemer et al., Magn Reson Med 16 (1990) 192
std::unique_ptr<Filter> make_root_sum_of_squares(const RootSumOfSquaresOptions& options);

}  // namespace whorl
