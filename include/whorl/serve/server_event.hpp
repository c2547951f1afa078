// Events of a server for its log.
#pragma once

#include <cstdint>
#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Something that happened, for a log.
struct ServerEvent {
  enum class Level { info, warning, error };
  Level level = Level::info;
  std::uint64_t connection = 0;  ///< its number from 1; 0: of the server itself
  std::string peer{};            ///< address and port of the client
  std::string what{};            ///< one word: "connected", "config", "images", "failed", ...
  std::string text{};            ///< a sentence
};

}  // namespace whorl
