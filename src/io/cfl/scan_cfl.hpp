// Scans as files of BART.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Writes PATH = NAME.cfl: the k-space [1, readout, shot, coil] with frames along BART's time (dimension 10).
/// Beside it lie NAME_traj.cfl [3, readout, shot] in cycles per field of view (the grid units of `bart nufft`) and, where
/// the scan has them, NAME_weights.cfl, NAME_noise.cfl [1, sample, 1, coil] and NAME_maps.cfl [x, y, z, coil]. A scan
/// without data becomes only the trajectory, under the name PATH. The section "# Whorl" of NAME.hdr, which BART
/// ignores, has what BART's files cannot express.
///
/// Accuracy  BART has complex64 only: positions are rounded to float
/// Throws    ShapeError (frames of different lengths), ValueError, IoError, Cancelled
void write_scan_cfl(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

/// Reads what write_scan_cfl wrote; `path` is NAME, NAME.cfl or NAME.hdr. Throws IoError (also for files of BART that
/// do not say that they are a scan), ShapeError, ValueError, Cancelled.
Scan read_scan_cfl(const Context& ctx, const std::filesystem::path& path);

/// The .cfl files that reading NAME.cfl opens, itself first: those beside it that the header of a scan says to be there.
/// Throws IoError.
std::vector<std::filesystem::path> cfl_parts_to_read(const std::filesystem::path& path);

/// The .cfl files that write_scan_cfl makes for the scan that has everything, PATH first.
std::vector<std::filesystem::path> cfl_parts_to_write(const std::filesystem::path& path);

}  // namespace whorl::io
