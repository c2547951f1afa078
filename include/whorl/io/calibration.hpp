// The calibration scan for parallel imaging that lies beside the image in an ISMRMRD file.
#pragma once

#include <filesystem>

#include "whorl/core/context.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Reads what the coil maps of a Cartesian scan are best made of, with the image's matrix and coils: one frame for each slice. It
/// is lines flagged as calibration that are no samples of the image, or the center of a frame that has calibration lines where
/// others have none. Without frames where the file has no such lines, in other formats, and where the positions of the samples are
/// not made of counters. Throws as read_scan.
Scan read_calibration(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

}  // namespace whorl
