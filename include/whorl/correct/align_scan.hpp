// Scans of one object with fields of view at different places.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Moves a scan to the place of another by their geometries, so that images of both have the object in the same voxels: the
/// samples turn and get a linear phase, which interpolates nothing. The object and the coils are at rest in the patient's
/// coordinates; the fields of view are not. Frame t of each slice goes to that of `first`. A note says how far.
///
/// Frames at equal places (to 1e-3 of a voxel, and 1e-4 in direction) keep their bits. Otherwise samples that leave |k| <= 1/2
/// are dropped, and density weights and coil maps that came with the scan too. Returns whether it moved.
///
/// Throws  ValueError (another matrix, field of view or number of frames of a slice; in 2D a place outside of the plane; a
///         field of view that is not known, of frames at different places)
bool align_scan(const Scan& first, Scan& scan);

/// Name of one of several scans in messages and notes.
std::string name_of_joined(const Scan& scan);

/// The frames of `scan` in the order of those of `first`: frame t of a slice is that of the same slice.
/// Throws  ValueError (another number of frames of a slice)
std::vector<std::size_t> order_of_frames(const Scan& first, const Scan& scan);

}  // namespace whorl
