// Files that say whether they are whole: for work that must survive any end of the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes bytes behind a line with their SHA-256. The file has its name, and is on the disk, when this returns, also
/// within an AtomicFileGroup: at any moment the name stands for the old file, or the new one, as a whole. Throws
/// IoError.
void write_checked_file(const std::filesystem::path& path, std::string_view bytes);

/// The bytes of such a file. None: it does not exist, or its bytes are not those that were written. Throws IoError (it
/// cannot be read).
std::optional<std::string> read_checked_file(const std::filesystem::path& path);

/// SHA-256 of what a reconstruction takes of a scan: matrix, noise, maps, and of each frame its index, place,
/// positions, weights, data and times. Throws Cancelled.
std::string scan_fingerprint(const Context& ctx, const Scan& scan);

}  // namespace whorl
