#include "cli/options/byte_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>

#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

// How often the unit is multiplied by 1024; -1: it is none.
int power_of(const std::string& unit) {
  constexpr std::string_view prefixes = "kmgtpe";
  if (unit.empty() || unit == "b") return 0;
  const std::size_t prefix = prefixes.find(unit.front());
  const std::string rest = unit.substr(1);
  const bool known = prefix != std::string_view::npos && (rest.empty() || rest == "b" || rest == "i" || rest == "ib");
  return known ? static_cast<int>(prefix) + 1 : -1;
}

}  // namespace

std::size_t byte_size(const std::string& text) {
  std::uint64_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, bytes);
  std::string unit(stop, end);
  unit.erase(0, unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const int power = power_of(unit);
  if (error == std::errc::invalid_argument || power < 0) {
    throw ValueError(fmt::format("'{}' is no number of bytes; expected one from 0 on such as 8GB, 512MB or 0", text));
  }
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || bytes > (most >> (10 * power))) {
    throw ValueError(fmt::format("'{}' is more than a machine can have; expected less than 8 EB, such as 8GB", text));
  }
  return static_cast<std::size_t>(bytes << (10 * power));
}

}  // namespace whorl::cli
