#include "io/file_format.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "whorl/core/error.hpp"

namespace whorl::io {

FileFormat detect_file_format(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const int reason = errno;
  if (!file || std::filesystem::is_directory(path)) {
    throw IoError(fmt::format("{}: can not read it: {}", path.string(),
                              file ? "it is a folder" : std::generic_category().message(reason)));
  }
  std::array<char, 8> start{};
  file.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(file.gcount()));
  if (text.empty()) throw IoError(fmt::format("{}: the file is empty", path.string()));
  // Version 7.3 is HDF5 behind this text; version 4 has no signature, only its usual name.
  if (text.starts_with("MATLAB") || path.extension() == ".mat") return FileFormat::matlab;
  return text == "\x89HDF\r\n\x1a\n" ? FileFormat::hdf5 : FileFormat::other;
}

}  // namespace whorl::io
