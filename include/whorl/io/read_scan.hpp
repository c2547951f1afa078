// read_scan: a scan from a file of the format that whorl reconstructs from.
#pragma once

#include <filesystem>

#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/scan.hpp"

namespace whorl {

/// Reads a scan from an ISMRMRD file. A file of another layout is refused with the way to convert it.
/// Throws what read_ismrmrd throws.
Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

}  // namespace whorl
