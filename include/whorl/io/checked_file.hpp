// Files that say whether they are whole: for work that must survive any end of the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes bytes behind a line with their SHA-256. The file has its name, and is on the disk, when this returns, also
/// within an AtomicFileGroup: at any moment the name stands for the old file, or the new one, as a whole. Throws
/// IoError.
void write_checked_file(const std::filesystem::path& path, std::string_view bytes);
/// write_checked_file for bytes in several parts, one after the other.
void write_checked_file(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// The bytes of such a file. None: it does not exist, or its bytes are not those that were written. Throws IoError (it
/// cannot be read).
std::optional<std::string> read_checked_file(const std::filesystem::path& path);

/// Reads such a file part by part, for bytes that are not to be in memory twice.
class CheckedFile {
 public:
  /// None: as read_checked_file. It reads the whole file once, for its hash.
  static std::optional<CheckedFile> open(const std::filesystem::path& path);

  /// Bytes that are left.
  std::size_t left() const { return left_; }
  /// The text up to the end of the line, without that. Throws IoError.
  std::string read_line();
  /// The next bytes. Throws IoError (there are fewer).
  void read(void* to, std::size_t count);

 private:
  CheckedFile(std::ifstream stream, std::string path, std::size_t left)
      : stream_(std::move(stream)), path_(std::move(path)), left_(left) {}
  [[noreturn]] void fail() const;

  std::ifstream stream_;
  std::string path_;
  std::size_t left_;
};

/// SHA-256 of what a reconstruction takes of a scan: matrix, noise, maps, and of each frame its index, place,
/// positions, weights, data and times. Throws Cancelled.
std::string scan_fingerprint(const Context& ctx, const Scan& scan);

}  // namespace whorl
