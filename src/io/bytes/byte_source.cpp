#include "io/bytes/byte_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "whorl/core/error.hpp"

namespace whorl::io {

void ByteSource::read(void* to, std::size_t count) {
  if (read_some(to, count) != count) throw IoError(fmt::format("'{}' ends early: it is truncated", name()));
}

bool ByteSource::at_end() {
  char byte = 0;
  return read_some(&byte, 1) == 0;
}

std::uintmax_t size_of_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("cannot read '{}': {}", path.string(), error.message()));
  return bytes;
}

void check_regular(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  throw IoError(fmt::format("cannot read '{}': it is {}", path.string(),
                            std::filesystem::is_directory(status) ? "a folder" : "not a regular file"));
}

FileSource::FileSource(const std::filesystem::path& path) : name_(path.string()) {
  check_regular(path);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("cannot read '{}': {}", name_, error.message()));
  errno = 0;
  auto* file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    throw IoError(fmt::format("cannot read '{}': {}", name_, std::generic_category().message(errno)));
  }
  file_ = file;
  constexpr unsigned buffer_bytes = 1U << 18U;
  gzbuffer(file, buffer_bytes);
  compressed_ = gzdirect(file) == 0;
  limit_ = compressed_ ? size * deflate_expansion : size;
}

FileSource::~FileSource() { gzclose_r(static_cast<gzFile>(file_)); }

std::size_t FileSource::read_some(void* to, std::size_t count) {
  constexpr std::size_t most = std::size_t{1} << 30U;  // zlib counts in 32 bits
  auto* file = static_cast<gzFile>(file_);
  std::size_t done = 0;
  while (done < count) {
    const int got = gzread(file, static_cast<char*>(to) + done, static_cast<unsigned>(std::min(count - done, most)));
    int code = Z_OK;
    const char* reason = gzerror(file, &code);
    // A compressed file that was cut off gives its last bytes with Z_BUF_ERROR, and then none.
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)) {
      throw IoError(fmt::format("cannot read '{}': it is damaged ({})", name_, reason));
    }
    if (got == 0 && code == Z_BUF_ERROR) throw IoError(fmt::format("'{}' ends early: it is truncated", name_));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace whorl::io
