// Names of files that go with each of several scans.
#pragma once

#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// What stands for the name of a scan in the names of files.
inline constexpr const char* scan_placeholder = "{}";

/// The text with the name of a scan's file, without folder and ending, in each place of {}.
WHORL_PUBLIC std::string with_scan_name(std::string text, const std::string& scan);

}  // namespace whorl
