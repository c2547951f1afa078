// BART's arrays: NAME.hdr (text) and NAME.cfl (complex64, the first dimension fastest).
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "io/cfl/cfl_header.hpp"
#include "whorl/core/array.hpp"

namespace whorl::io {

struct CflArray {
  std::vector<Index> dimensions;      ///< as BART names them: the first is fastest
  Array<std::complex<float>> values;  ///< C order: the shape is the dimensions reversed
  std::string scan;                   ///< the header's JSON of a scan (io/scans/scan_arrays.hpp), or empty
};

/// NAME of either file, or of both without extension. Empty where there is no such pair.
std::filesystem::path find_cfl(const std::filesystem::path& path);

/// Throws IoError (missing or damaged files, sizes that differ from the header's), Cancelled.
CflArray read_cfl(const Context& ctx, const std::filesystem::path& name);

/// The header alone. Throws IoError.
CflHeader read_cfl_header(const std::filesystem::path& name);

/// Writes NAME.cfl and then NAME.hdr; each appears only when it is complete. `path` is NAME.cfl.
/// Throws ShapeError (more than 16 dimensions, an empty axis, or not as many elements), IoError, Cancelled.
void write_cfl(const Context& ctx, const std::filesystem::path& path, ArrayRef<const std::complex<float>> values,
               const std::vector<Index>& dimensions, const std::string& scan);

}  // namespace whorl::io
