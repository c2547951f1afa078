// JSON in files of others.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "whorl/core/error.hpp"

namespace whorl::io {

/// Parses a text whose arrays and objects lie in each other in few levels, as those of whorl's files do: nlohmann's
/// library writes a deeper one, in a message, by calls within calls until the stack ends.
/// Throws  IoError (more levels, naming `source`), and the library's exceptions
template <class Json>
Json parse_json(const std::string& text, const std::string& source) {
  constexpr int most_levels = 32;
  return Json::parse(text, [&](int level, typename Json::parse_event_t /*event*/, Json& /*part*/) {
    if (level > most_levels) throw IoError(fmt::format("'{}': its JSON has more than {} levels", source, most_levels));
    return true;
  });
}

}  // namespace whorl::io
