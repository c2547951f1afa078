// What the fuzz targets share: bytes as a file, and what a reader may do with them.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::fuzz {

/// A folder of this process, on a file system in memory where there is one; gone when the process ends in order.
class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code ignored;
    const std::filesystem::path base =
        std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path();
    path_ = base / ("whorl-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path write(const std::string& name, const std::uint8_t* bytes, std::size_t count) {
  static const Folder folder;
  std::filesystem::path path = folder.path() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  return path;
}

inline bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7F;
}

/// Runs a reader. It may give a result or throw one of whorl's errors in one short line; everything else, also an
/// exception of another kind (memory that a header asked for), is a finding.
template <class Read>
void expect_result_or_error(const Read& read) {
  const Context ctx(Context::Options{.threads = 1});
  try {
    read(ctx);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.size() <= 2000 && std::none_of(message.begin(), message.end(), &is_control)) return;
    std::fprintf(stderr, "no short line of text: %s\n", error.what());
    std::abort();
  }
}

}  // namespace whorl::fuzz
