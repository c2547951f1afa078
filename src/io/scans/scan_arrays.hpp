// A scan as named arrays and a text header: the common way to store a whole Scan in formats without scans of their own
// (.npz, .cfl, plain HDF5).
#pragma once

#include <string>
#include <vector>

#include "whorl/io/array_files.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// data [coil, sample] or [frame, coil, sample] (data_0, data_1, ... where frames have different lengths), trajectory
/// [sample, dim] in cycles per pixel, weights [sample] (numbered where frames have different ones), noise [coil,
/// sample], coil_maps [coil, z, y, x]; and the rest as JSON.
struct ScanArrays {
  std::vector<NamedArray> arrays;
  std::string header;
};

/// Throws what check_scan does.
ScanArrays scan_to_arrays(const Context& ctx, const Scan& scan);

/// The header alone.
std::string make_scan_header(const Scan& scan);

/// The inverse. Throws IoError or ShapeError, naming `source`, if header and arrays do not fit; ValueError for values
/// that are not finite and positions out of range.
Scan scan_from_arrays(const Context& ctx, std::vector<NamedArray> arrays, const std::string& header,
                      const std::string& source);

/// Checks before writing what every format needs: frames, trajectories of the matrix's dimensions, data, noise, weights
/// and maps of fitting shapes. Throws ShapeError, ValueError naming `file`, Cancelled.
void check_scan(const Context& ctx, const Scan& scan, const std::string& file);

}  // namespace whorl::io
