// Choosing from a list by a regular expression.
#pragma once

#include <fmt/format.h>

#include <regex>
#include <string>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::bench {

/// Leaves the items in whose names (name_of(item)) a regular expression (ECMAScript) is found.
/// Throws ValueError, naming the command, where it is no regular expression.
template <class Item, class NameOf>
void keep_like(const char* command, const std::string& expression, std::vector<Item>& items, const NameOf& name_of) {
  try {
    const std::regex pattern(expression);
    std::erase_if(items, [&](const Item& item) { return !std::regex_search(name_of(item), pattern); });
  } catch (const std::regex_error& error) {
    throw ValueError(fmt::format("{}: '{}' is not a regular expression: {}", command, expression, error.what()));
  }
}

}  // namespace whorl::bench
