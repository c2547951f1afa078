// Options that all fits of voxels share.
#pragma once

#include <optional>

#include "whorl/core/array.hpp"
#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

struct FitOptions {
  double threshold = 0.05;        ///< voxels below this part of the series' largest magnitude are left out
  std::optional<double> noise{};  ///< standard deviation of each value; none: from what the fit leaves of each voxel
  int iterations = 100;           ///< of Levenberg and Marquardt, at most
};

template <>
WHORL_PUBLIC const OptionTable<FitOptions>& option_table<FitOptions>();

/// The standard deviations of a series' values, of the series' shape or of one of its images: values are weighted by their
/// inverse squares, and the error bars of a fit follow from them alone. Voxels with one that is 0 or not finite are left out.
using SeriesErrors = std::optional<ArrayRef<const float>>;

}  // namespace whorl
