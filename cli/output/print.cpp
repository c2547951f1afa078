#include "cli/output/print.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace whorl::cli {

namespace {

// A letter in UTF-8 at the start of a text. Its length is 0 where the bytes are none.
struct Letter {
  std::size_t bytes = 0;
  std::uint32_t code = 0;
};

Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  return {length, code};
}

bool is_control(std::uint32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    result +=
        is_control(letter.code) ? fmt::format("\\u{:04x}", letter.code) : std::string(text.substr(0, letter.bytes));
    text.remove_prefix(letter.bytes);
  }
  return result;
}

void print(std::string_view text) { std::fputs(escaped(text).c_str(), stdout); }

void print_error(std::string_view text) {
  const std::string line = escaped(text);
  // A file of errors may be what is full, or at the limit of its size.
  if (std::fputs(line.c_str(), stderr) < 0) std::fputs(line.c_str(), stdout);
}

bool reader_is_gone() {
  pollfd pipe{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

}  // namespace whorl::cli
