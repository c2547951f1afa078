#include "cli/options/byte_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
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
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto number_end = std::find_if_not(text.begin(), text.end(), [&](char c) { return is_digit(c) || c == '.'; });
  const std::string number(text.begin(), number_end);
  std::string unit(number_end, text.end());
  unit.erase(0, unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const int power = power_of(unit);
  const std::size_t point = number.find('.');
  const std::string whole = number.substr(0, point);
  const std::string decimals = point == std::string::npos ? "0" : number.substr(point + 1);
  if (whole.empty() || decimals.empty() || decimals.find('.') != std::string::npos || power < 0) {
    throw ValueError(
        fmt::format("'{}' is no number of bytes; expected one from 0 on such as 8GB, 1.5GB, 512MB or 0", text));
  }
  std::uint64_t units = 0;
  const auto error = std::from_chars(whole.data(), whole.data() + whole.size(), units).ec;
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || units > (most >> (10 * power))) {
    throw ValueError(fmt::format("'{}' is more than a machine can have; expected less than 8 EB, such as 8GB", text));
  }
  const std::uint64_t bytes = units << (10 * power);
  double part = std::numeric_limits<double>::denorm_min();  // where there are too many zeros before a digit
  const std::string below_one = "0." + decimals;
  std::from_chars(below_one.data(), below_one.data() + below_one.size(), part);
  part = std::ldexp(part, 10 * power);
  if (part > 0 && (power == 0 || static_cast<double>(bytes) + part < 1)) {
    throw ValueError(fmt::format("'{}' has a part of a byte; expected a larger unit, such as 1.5GB", text));
  }
  return static_cast<std::size_t>(std::min(bytes + static_cast<std::uint64_t>(part), most));
}

}  // namespace whorl::cli
