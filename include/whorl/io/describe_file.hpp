// Recognizes the format of a file by its content.
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

/// Whether options of the reader may have an effect: those for a unit that the file does not state, and those of ISMRMRD.
/// True for what can not be read as a scan, of which the reader says better what is wrong.
bool leaves_unit_open(const std::filesystem::path& path);
bool may_be_ismrmrd(const std::filesystem::path& path);

}  // namespace whorl
