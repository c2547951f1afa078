// The plain HDF5 layout of the ISMRM reproducibility challenge: datasets rawdata, trajectory and, optionally, Coils.
#pragma once

#include <filesystem>

#include "whorl/io/convert.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// rawdata [1, readout, shot, coil] complex, trajectory [3, readout, shot] in cycles per field of view, Coils [coil, z,
/// y, x] or [coil, y, x]. All axes may lie in the reverse order, as programs write them whose first axis is fastest:
/// the trajectory's axis of extent 3 tells. The matrix is the options', else what a header of write_challenge says,
/// else that of Coils. Throws IoError (missing datasets, wrong types), ShapeError, ValueError (unknown matrix,
/// non-finite numbers, positions over the limit), Cancelled.
Scan read_challenge(const Context& ctx, const std::filesystem::path& input, const ConvertOptions& options);

/// Writes the layout, with `weights` [readout, shot] and `noise` [sample, coil] where the scan has them; the rest of
/// the scan is in the dataset `whorl` as text, so that read_challenge gives it all back.
///
/// Accuracy  positions are double, in cycles per field of view
/// Throws    ShapeError for several frames, which the layout can not hold; IoError, Cancelled
void write_challenge(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

}  // namespace whorl::io
