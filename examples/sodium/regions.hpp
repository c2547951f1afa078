// Regions of pure tissue, and the calibration of images to millimoles per liter by the vials.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "head.hpp"
#include "whorl/core/array.hpp"

namespace sodium {

/// Voxels of one tissue alone, by their place in memory.
struct PureRegion {
  std::string tissue;
  double truth = 0;  ///< mmol/L
  std::vector<whorl::Index> voxels;
  bool homogeneous = false;  ///< the neighbors of the voxels are of the same tissue
};

struct Regions {
  std::vector<PureRegion> tissues;  ///< of the head and the vials; without tissues that have no pure voxel
  std::vector<whorl::Index> air;    ///< at least two voxels away from everything, within the coils
};

/// A region has only the voxels whose neighbors are of the same tissue, if there are at least 8 of them.
///
/// Shapes  portions [tissue, z, y, x]
Regions find_regions(const Head& head, whorl::ArrayRef<const float> portions);

/// mmol/L = slope * Re(image) + offset
struct Calibration {
  double slope = 1;
  double offset = 0;
};

/// The least squares line through the means over the vials and over the air.
Calibration calibrate(const Regions& regions, whorl::ArrayRef<const std::complex<float>> image);

}  // namespace sodium
