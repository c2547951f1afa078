#include "cli/options/number_list.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

// The parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

[[noreturn]] void fail(const std::string& text) {
  throw ValueError(
      fmt::format("'{}' is no list of numbers from 0; expected such as 3 or 1,4,7 or 0:10 or 0:10:2", text));
}

}  // namespace

std::vector<Index> number_list(const std::string& text) {
  std::vector<Index> numbers;
  for (const std::string_view range : split(text, ',')) {
    const auto words = split(range, ':');
    if (words.size() > 3) fail(text);
    std::array<Index, 3> values{0, 0, 1};  // first, last, step
    for (std::size_t i = 0; i < words.size(); ++i) {
      const char* const end = words[i].data() + words[i].size();
      const auto [stop, error] = std::from_chars(words[i].data(), end, values[i]);
      if (error != std::errc() || stop != end || values[i] < (i == 2 ? 1 : 0)) fail(text);
    }
    if (words.size() == 1) values[1] = values[0];
    constexpr Index most = 65535;
    if (values[1] < values[0] || (values[1] - values[0]) / values[2] >= most) fail(text);
    for (Index i = 0; i <= (values[1] - values[0]) / values[2]; ++i) numbers.push_back(values[0] + i * values[2]);
  }
  return numbers;
}

}  // namespace whorl::cli
