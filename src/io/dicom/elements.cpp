#include "io/dicom/elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace whorl::io::dicom {

namespace {

void append_number(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

/// The longest text of a representation (PS3.5, 6.2).
std::size_t longest(std::string_view representation) {
  if (representation == "CS" || representation == "SH" || representation == "DS") return 16;
  if (representation == "IS") return 12;
  return 64;
}

std::string allowed(std::string_view value, std::string_view representation) {
  std::string text(value.substr(0, longest(representation)));
  for (char& letter : text) {
    // A backslash parts values; control characters and bytes beyond ASCII have no place in the default repertoire.
    if (letter < ' ' || letter > '~' || letter == '\\') letter = ' ';
  }
  return text;
}

}  // namespace

std::string decimal(double value) {
  for (int digits = 15; digits > 1; --digits) {
    std::string text = fmt::format("{:.{}g}", value + 0.0, digits);  // no negative zero
    if (text.size() <= 16) return text;
  }
  return fmt::format("{:.1g}", value);
}

void DataSet::bytes(Tag tag, const char* representation, std::string value) {
  const std::string_view name = representation;
  const bool is_binary = name == "OB" || name == "OW";
  if (value.size() % 2 != 0) value += is_binary || name == "UI" ? '\0' : ' ';
  std::string element;
  append_number(element, tag >> 16, 2);
  append_number(element, tag & 0xFFFF, 2);
  element += name;
  if (is_binary) {
    append_number(element, 0, 2);
    append_number(element, value.size(), 4);
  } else {
    append_number(element, value.size(), 2);
  }
  elements_[tag] = element + value;
}

void DataSet::text(Tag tag, const char* representation, std::string_view value) {
  bytes(tag, representation, allowed(value, representation));
}

void DataSet::text(Tag tag, const char* representation, const std::vector<std::string>& values) {
  bytes(tag, representation, fmt::format("{}", fmt::join(values, "\\")));
}

void DataSet::numbers(Tag tag, const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(decimal(value));
  text(tag, "DS", texts);
}

void DataSet::integer(Tag tag, std::int64_t value) { text(tag, "IS", std::to_string(value)); }

void DataSet::word(Tag tag, std::uint16_t value) {
  std::string two;
  append_number(two, value, 2);
  bytes(tag, "US", two);
}

std::string DataSet::encoded() const {
  std::string all;
  for (const auto& [tag, element] : elements_) all += element;
  return all;
}

}  // namespace whorl::io::dicom
