// The files that one name stands for: some formats keep data in several files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The file of "FILE" or "FILE:NAME" (io/array_files.hpp).
std::filesystem::path file_of(const std::string& file_and_name);

/// The files that reading `path` opens: the file itself; for a BART pair (either name, or the name without extension)
/// header and data, and for a BART scan also the files that its header names. If no file exists, `path` itself.
std::vector<std::filesystem::path> files_to_read(const std::filesystem::path& path);

/// The files that writing arrays or images under this name creates: NAME.cfl comes with NAME.hdr.
std::vector<std::filesystem::path> files_of_arrays(const std::filesystem::path& path);

/// The files that writing a scan under this name may create: for .cfl also those of trajectory, weights, noise and
/// maps, whether or not the scan has them.
std::vector<std::filesystem::path> files_of_scan(const std::filesystem::path& path);

}  // namespace whorl
