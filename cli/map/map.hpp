// The commands of `whorl map`.
#pragma once

#include "cli/command.hpp"

namespace whorl::cli {

Command diffusion_map_command();
Command water_fat_map_command();

}  // namespace whorl::cli
