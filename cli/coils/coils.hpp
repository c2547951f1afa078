// The commands below `whorl coils`.
#pragma once

#include "cli/command.hpp"

namespace whorl::cli {

Command coils_estimate_command();
Command coils_show_command();
Command coils_compress_command();

}  // namespace whorl::cli
