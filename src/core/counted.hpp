// Numbers of things in sentences.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "whorl/core/view.hpp"

namespace whorl {

/// "1 coil", "4 coils".
inline std::string counted(Index count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace whorl
