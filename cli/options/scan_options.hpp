// How scans are read.
#pragma once

#include <functional>
#include <string>

#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::cli {

/// Adds what a scan from a file may leave open. `file` gives its name after the command line was read. An option for
/// what the file states itself is refused.
void add_scan_options(App& app, ScanReadOptions& options, const std::function<std::string()>& file,
                      const Shown& shown = {});

}  // namespace whorl::cli
