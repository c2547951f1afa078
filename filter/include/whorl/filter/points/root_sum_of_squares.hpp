// Root sum of squares: combines the images of several coils.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct RootSumOfSquaresOptions {
  std::optional<Index> coils;  ///< number of consecutive volumes that make one; none: all
};

/// sqrt(sum over coils of |v|^2), pixel by pixel, within a relative (coils + 2) 6e-8.
/// Throws  ShapeError where the volumes are not a multiple of `coils`; Unsupported (other than gray or complex float32)
/// Source  Roemer et al., Magn Reson Med 16 (1990) 192
std::unique_ptr<Filter> make_root_sum_of_squares(const RootSumOfSquaresOptions& options);

}  // namespace whorl
