// The file formats of whorl: one list, recognized by content.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// The part of a file by which it is recognized.
struct FileStart {
  std::filesystem::path path;
  std::uintmax_t bytes = 0;          ///< on the disk
  bool compressed = false;           ///< by gzip
  std::vector<unsigned char> start;  ///< up to 4 KiB, decompressed

  std::string_view text() const { return {reinterpret_cast<const char*>(start.data()), start.size()}; }
};

/// A format. Unsupported functions are null.
struct Format {
  std::string_view name;                     ///< as options take it
  std::string_view description;              ///< in words: "NumPy archive"
  std::vector<std::string_view> extensions;  ///< that name it where it is written; none for formats that are only read
  bool first_axis_is_fastest;                ///< how its users count axes
  bool (*recognizes)(const FileStart& file);
  std::vector<NamedArray> (*read_arrays)(const Context& ctx, const std::filesystem::path& path);
  void (*write_arrays)(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays);
  bool (*holds_scan)(const FileStart& file);  ///< whether a recognized file says enough for read_scan
  Scan (*read_scan)(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options);
  void (*write_scan)(const Context& ctx, const Scan& scan, const std::filesystem::path& path);
  /// Whether a file that holds a scan says the unit of its trajectory, and options for it are not asked.
  bool (*states_unit)(const FileStart& file) = nullptr;
};

/// Every format, in the order in which they are tried.
std::span<const Format> formats();

/// The start of a file; for a BART pair, that of the header. Throws IoError (missing, a folder, empty).
FileStart read_start(const std::filesystem::path& path);

/// The format of a file, by its content; null if it is not in the list.
const Format* recognize(const FileStart& file);

enum class Content { arrays, scan };

/// The first format that writes such content with the path's extension, or the one of the given name (may be empty).
const Format& format_to_write(const std::filesystem::path& path, Content content, std::string_view name);

/// Throws ValueError, listing the known ones.
/// ".npy, .npz, .cfl": the extensions of formats that write such content.
std::string extensions_of(Content content);

/// "folder/scan.npz:maps" -> path and name; no name if the whole text is a file.
std::pair<std::filesystem::path, std::string> split_name(const std::string& text);

}  // namespace whorl::io
