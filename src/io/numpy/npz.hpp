// NumPy's .npz archives: a zip of .npy members, and for some of whorl's files one member of text.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::io {

struct NpzContents {
  std::vector<NamedArray> arrays;  ///< the members that hold numbers, in the archive's order
  std::string header;              ///< the text of the member of the given name; empty if there is none
};

/// The member in which a scan's header lies (io/scans/scan_arrays.hpp). numpy.load gives it as bytes.
inline constexpr const char* scan_header_member = "whorl.json";

/// Throws IoError (no zip archive, damaged members, sizes that the file cannot hold, no numeric member), Cancelled.
NpzContents read_npz(const Context& ctx, const std::filesystem::path& path,
                     const std::string& header_member = scan_header_member);

/// True if an archive has .npy members.
bool is_npz(const std::filesystem::path& path);

/// True if an archive has a member of that name.
bool has_member(const std::filesystem::path& path, const std::string& name);

/// Members are stored without compression, as numpy.savez does. The archive is made in memory (one copy of the arrays)
/// and appears under its name only when it is complete. An empty header is left out.
/// Throws IoError, Cancelled.
void write_npz(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
               const std::string& header, const std::string& header_member = scan_header_member);

}  // namespace whorl::io
