#include "io/bytes/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whorl::io {

namespace {

bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

bool is_printable(std::string_view text) { return std::none_of(text.begin(), text.end(), &is_control); }

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  for (const char letter : text.substr(0, most)) {
    if (is_control(letter)) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    } else {
      result += letter;
    }
  }
  if (text.size() > most) result += "...";
  return result;
}

}  // namespace whorl::io
