// SavedNormals: F^H F of one or more trajectories, computed once for all scans with them.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The spectrum of F^H F of one trajectory (op/normal_spectrum.hpp).
struct SavedNormal {
  std::string trajectory;  ///< its fingerprint (trajectory/fingerprint.hpp)
  Index samples = 0;       ///< number of samples of the trajectory
  std::string origin;      ///< text: how the spectrum was made
  Array<float> spectrum;   ///< [(z,) y, x] of the grid, on the host
};

struct SavedNormals {
  Shape image;                       ///< shape of the image: [y, x] or [z, y, x]
  std::vector<SavedNormal> normals;  ///< of one or more trajectories, all on one grid
  std::string source{};              ///< the file of origin, for messages
};

}  // namespace whorl
