// What a file is, by its content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace whorl {

struct FileDescription {
  std::string format;       ///< name of the format, such as "npz"; empty where it is none that whorl knows
  std::string description;  ///< for people: "NumPy archive"
  std::uintmax_t bytes = 0;
  bool holds_scan = false;    ///< read_scan takes it
  bool holds_arrays = false;  ///< read_arrays takes it
};

/// Recognizes a file; for BART's pair any of its two names. Throws IoError when it can not be read or is damaged so
/// that it can not be told what it is.
FileDescription describe_file(const std::filesystem::path& path);

}  // namespace whorl
