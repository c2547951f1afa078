// Which files one name stands for: some formats keep data in several files.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The files that reading `path` opens: the file itself; of a pair of BART (either name, or the name without extension)
/// header and data, and beside a scan the files that its header names. A path without a file is given back as it is.
std::vector<std::filesystem::path> files_to_read(const std::filesystem::path& path);

/// The files that writing arrays or images under this name makes: NAME.cfl has NAME.hdr beside it.
std::vector<std::filesystem::path> files_of_arrays(const std::filesystem::path& path);

/// The files that writing a scan under this name may make: for .cfl also those of trajectory, weights, noise and maps,
/// whether or not the scan has them.
std::vector<std::filesystem::path> files_of_scan(const std::filesystem::path& path);

}  // namespace whorl
