// Where the tissues are pure, and what the vials say: from an image to millimoles per liter.
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
  bool homogeneous = false;  ///< the neighbors of the voxels are of the tissue, too
};

struct Regions {
  std::vector<PureRegion> tissues;  ///< of the head and the vials; those without a pure voxel are left out
  std::vector<whorl::Index> air;    ///< two voxels and more from everything, within the coils
};

/// Where all neighbors of enough voxels (8) are of their tissue the region is of those.
///
/// Shapes  portions [tissue, z, y, x]
Regions find_regions(const Head& head, whorl::ArrayRef<const float> portions);

/// mmol/L = slope * Re(image) + offset
struct Calibration {
  double slope = 1;
  double offset = 0;
};

/// The line of least squares through the means over the vials and over the air.
Calibration calibrate(const Regions& regions, whorl::ArrayRef<const std::complex<float>> image);

}  // namespace sodium
