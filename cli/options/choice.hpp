// Options that choose one value of an enumeration by its name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace whorl::cli {

/// Names of the values of an enumeration: what the option takes, what the help lists, what the record says.
template <class Enum>
using Names = std::map<std::string, Enum>;

template <class Enum>
std::string name_of(const Names<Enum>& names, Enum value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

/// `names` must outlive the application.
template <class Enum>
Option* add_choice(App& app, const std::string& option, const Names<Enum>& names, Enum& value,
                   const std::string& help) {
  std::string list;
  std::vector<std::string> words;
  for (const auto& [name, unused] : names) {
    list += (list.empty() ? "" : ", ") + name;
    words.push_back(name);
  }
  return app
      .add_option_function(
          option, [&names, &value](const std::string& text) { value = names.at(text); }, help + ": " + list)
      ->check(is_member(words).description(""))
      ->default_str(name_of(names, value));
}

}  // namespace whorl::cli
