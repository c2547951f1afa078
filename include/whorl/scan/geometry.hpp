// Geometry: where an image lies in the patient.
#pragma once

#include <array>

namespace whorl {

/// Where an image volume lies in the patient. ISMRMRD's convention: LPS millimetres, `position` is the center of the
/// volume (voxel floor(N/2) along each axis), and the three directions are unit vectors along x (read), y (phase) and
/// z (slice).
struct Geometry {
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< of the reconstructed volume; 0 where the file does not say
  std::array<double, 3> position_mm{0, 0, 0};
  std::array<double, 3> read_direction{1, 0, 0};
  std::array<double, 3> phase_direction{0, 1, 0};
  std::array<double, 3> slice_direction{0, 0, 1};

  /// Equal to the last bit; stack_slices (scan/affine.hpp) allows for rounding.
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

}  // namespace whorl
