// Names of files that go with each of several scans.
#pragma once

#include <string>

#include "whorl/core/export.hpp"
#include "whorl/job/file_or.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Text that stands for the name of a scan in the names of files.
inline constexpr const char* scan_placeholder = "{}";

/// The file of a scan, or of one in memory the file that it came from.
std::string source_of(const FileOr<Scan>& scan);

/// The text with the name of a scan's file, without folder and ending, in each place of {}.
WHORL_PUBLIC std::string with_scan_name(std::string text, const std::string& scan);

}  // namespace whorl
