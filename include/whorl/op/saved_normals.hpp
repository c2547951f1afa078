// F^H F of the trajectories of a scanner's setup, made once and used for every scan with them.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl {

/// The spectrum of F^H F of one trajectory (op/normal_spectrum.hpp).
struct SavedNormal {
  std::string trajectory;  ///< its fingerprint (trajectory/fingerprint.hpp)
  Index samples = 0;       ///< that it has
  std::string origin;      ///< how the spectrum was made, for people
  Array<float> spectrum;   ///< [(z,) y, x] of the grid, on the host
};

struct SavedNormals {
  Shape image;                       ///< [y, x] or [z, y, x] that they are for
  std::vector<SavedNormal> normals;  ///< of one or more trajectories, all on one grid
  std::string source{};              ///< the file they were read from, for messages
};

}  // namespace whorl
