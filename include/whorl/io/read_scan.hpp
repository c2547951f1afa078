// read_scan: a scan from a file of the format that whorl reconstructs from.
#pragma once

#include <filesystem>

#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

/// Reads a scan from a file of any format that says enough to be one: ISMRMRD, what write_scan wrote, the HDF5 layout
/// of the ISMRM reproducibility challenge (where it has Coils, which give the matrix), Parboil's mri-gridding. The
/// content tells which it is. A file of another layout is refused with the way to convert it.
///
/// `options.group`, `encoding` and `trajectory_columns` are for ISMRMRD alone.
/// Throws  IoError, ValueError, ShapeError as the format's reader; Cancelled
Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

}  // namespace whorl
