// Finds the place of a reference image in a scan, by the images themselves.
#pragma once

#include <array>

#include "whorl/prior/reference_image.hpp"

namespace WHORL_PUBLIC whorl {

struct AlignedReference {
  Affine affine;                             ///< of the reference where it was moved to
  std::array<double, 3> shift_mm{};          ///< along the image's axes x, y, z
  std::array<double, 3> rotation_degrees{};  ///< about them, through the middle of the image: x first, then y, then z
  double before = 0;                         ///< normalized mutual information where the reference was
  double after = 0;                          ///< and where it is now
};

/// Moves a reference rigidly to where an image of any other contrast shows the same object; in 2D within the plane. The
/// normalized mutual information (H(a) + H(b)) / H(a, b), of 32 bins each, is largest there. The search takes steps along each
/// shift and angle as long as it rises, and halves them down to a sixteenth of a voxel. It begins with steps of four, two and one
/// voxels in turn, and keeps the best of the three ends. So a patient who moved by a few voxels is found, and perhaps not one
/// farther away. The reference stays where it is if no place is better.
///
/// Shapes    image [z, y, x], [y, x] in 2D, on the host: magnitudes; matrix: x, y, z
/// Accuracy  a quarter of a voxel, at an SNR of 10 (test/unit/prior/test_align_reference.cpp)
/// Progress  a stage, a step for each of the three first steps
/// Throws    ValueError (a reference or a geometry without a place in the scanner, an image that is constant, values that
///           are not finite), ShapeError, and as resample; Cancelled
/// Source    Studholme, Hill, Hawkes, Pattern Recognit 32 (1999) 71
AlignedReference align_reference(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
                                 const std::array<Index, 3>& matrix, ArrayRef<const float> image);

}  // namespace whorl
