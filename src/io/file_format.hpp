// What a file is, by its first bytes.
#pragma once

#include <filesystem>

namespace whorl::io {

enum class FileFormat { hdf5, matlab, other };

/// Throws IoError for a file that is missing, empty or can not be read.
FileFormat detect_file_format(const std::filesystem::path& path);

}  // namespace whorl::io
