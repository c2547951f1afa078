// How to read a scan: options of every command that reads one.
#pragma once

#include "cli/command_line.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::cli {

void add_scan_options(App& app, ScanReadOptions& options);

}  // namespace whorl::cli
