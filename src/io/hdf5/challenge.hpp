// The plain HDF5 layout of the ISMRM reproducibility challenge: datasets rawdata, trajectory and, optionally, Coils.
#pragma once

#include <filesystem>

#include "whorl/io/convert_options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// rawdata [1, readout, shot, coil] complex, trajectory [3, readout, shot] in cycles per field of view, Coils [coil, z,
/// y, x] or [coil, y, x]. All axes may be in the reverse order, as written by programs whose first axis is fastest; the
/// trajectory's axis of extent 3 shows it. The matrix is that of the options, else of a header by write_challenge, else
/// of Coils. Throws IoError (missing datasets, wrong types), ShapeError, ValueError (unknown matrix, non-finite values,
/// positions over the limit), Cancelled.
Scan read_challenge(const Context& ctx, const std::filesystem::path& input, const ConvertOptions& options);

/// Writes the layout, with `weights` [readout, shot] and `noise` [sample, coil] where the scan has them; the rest of
/// the scan is in the dataset `whorl` as text, so that read_challenge gives it all back.
///
/// Accuracy  positions are double, in cycles per field of view
/// Throws    ShapeError (several frames, which the layout cannot hold), IoError, Cancelled
void write_challenge(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

}  // namespace whorl::io
