// Geometry: the position of an image in the patient.
#pragma once

#include <array>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The position of an image volume in the patient, in ISMRMRD's convention: LPS millimeters. The position is that of
/// the center of the volume (voxel floor(N/2) along each axis). The three directions are unit vectors along x (read), y
/// (phase) and z (slice).
struct Geometry {
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< of the reconstructed volume; 0: unknown
  std::array<double, 3> position_mm{0, 0, 0};
  std::array<double, 3> read_direction{1, 0, 0};
  std::array<double, 3> phase_direction{0, 1, 0};
  std::array<double, 3> slice_direction{0, 0, 1};

  /// Exact comparison; stack_slices (scan/affine.hpp) allows for rounding.
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

}  // namespace whorl
