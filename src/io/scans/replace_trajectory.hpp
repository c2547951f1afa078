// Data that come without the positions of their samples: positions from another file.
#pragma once

#include <filesystem>

#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Gives the frames of a scan the trajectories of the frames of `path` with the same counters, or of its only frame.
/// The positions are brought to the pixels of the scan: a Pulseq sequence by its matrix and field of view, scans by the
/// sizes of the pixels of both, which have to be alike where they are not known. Density weights of the scan are dropped.
///
/// Throws  as read_scan; ShapeError (frames that the file does not have, other numbers of samples, readouts of another
///         length, 2D and 3D), ValueError (other pixels of unknown size)
void replace_trajectory(const Context& ctx, Scan& scan, const std::filesystem::path& path);

}  // namespace whorl::io
