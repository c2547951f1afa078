// Names of arrays in files.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace whorl::io {

/// scan.kdata -> kdata
inline std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

inline std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

/// The names between commas, other than those in kdata{2,1}. One of an empty text, which is empty.
inline std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> parts(1);
  int inside = 0;
  for (const char letter : names) {
    if (letter == '{' || letter == '(') ++inside;
    if (letter == '}' || letter == ')') --inside;
    if (letter == ',' && inside == 0) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

}  // namespace whorl::io
