// Notes of a scan that tell where the header of its file and the data disagree.
#pragma once

#include <string_view>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The words with which such a note of Scan::notes begins. `examine` lists these notes.
inline constexpr std::string_view header_disagrees = "Header and data disagree: ";

}  // namespace whorl
