// Recognition of a file's format by its content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

struct FileDescription {
  std::string format;       ///< name of the format, such as "npz"; empty for unknown formats
  std::string description;  ///< text: "NumPy archive"
  std::uintmax_t bytes = 0;
  bool holds_scan = false;    ///< read_scan can read it
  bool holds_arrays = false;  ///< read_arrays can read it
  bool states_unit = false;   ///< a scan that states the unit of its trajectory, as scans written by whorl do
};

/// Recognizes a file; a BART pair by either of its two names. Throws IoError if the file cannot be read, or is too
/// damaged to recognize.
FileDescription describe_file(const std::filesystem::path& path);

}  // namespace whorl
