// Figures of an outlook: what one reads of its maps.
#pragma once

#include <string>
#include <vector>

#include "whorl/recon/outlook.hpp"

namespace WHORL_PUBLIC whorl {

/// A map over the voxels of the object.
struct ObjectRange {
  double median = 0;
  double low = 0;   ///< 5th percentile
  double high = 0;  ///< 95th percentile
};

/// Shapes  values [z, y, x]; object: places in it, at least one
ObjectRange range_over(const Array<float>& values, const std::vector<Index>& object);

/// Widths of a point spread along x, y(, z); of gridding the mean of the axes.
struct SpreadWidths {
  std::vector<double> values;
  std::string unit = "mm";  ///< or voxels: where the size of a voxel is not known, or a mean of unequal ones
};

SpreadWidths spread_widths(const ScanOutlook& outlook, const ImageOutlook& image);

}  // namespace whorl
