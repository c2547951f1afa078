// read_scan: reads a scan from a file of any format that holds scans.
#pragma once

#include <filesystem>

#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Reads a scan from a file of any format that describes one: ISMRMRD, the formats of write_scan, the HDF5 layout of
/// the ISMRM reproducibility challenge (with Coils, which give the matrix), Parboil's mri-gridding, Pulseq sequences (a
/// trajectory, with the smallest matrix that holds it). The format is recognized by the content. Files of other layouts
/// are refused; the message says how to convert them.
///
/// `options.group`, `encoding` and `trajectory_columns` apply to ISMRMRD only.
/// Throws  IoError, ValueError, ShapeError (as the format's reader), Cancelled
Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

}  // namespace whorl
