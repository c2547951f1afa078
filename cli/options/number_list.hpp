// Lists of indices on the command line.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::cli {

/// "3", "1,4,7", "0:10" (0 to 10, both included), "0:10:2" (0, 2, ..., 10), and several of these with commas between.
/// Throws ValueError for anything else and for more than 65535 numbers.
std::vector<Index> number_list(const std::string& text);

}  // namespace whorl::cli
