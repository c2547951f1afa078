#include "io/ismrmrd/header_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

// The elements whose text the reader takes for a count: matrices in encodedSpace and reconSpace, limits of counters.
bool is_count(const std::vector<std::string_view>& path) {
  if (path.size() < 3) return false;
  const std::string_view name = path.back();
  const std::string_view parent = path[path.size() - 2];
  if (parent == "matrixSize") return name == "x" || name == "y" || name == "z";
  return path[path.size() - 3] == "encodingLimits" && (name == "minimum" || name == "maximum" || name == "center");
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(xml_blanks), text.size()));
  return text.substr(0, text.find_last_not_of(xml_blanks) + 1);
}

// A whole number, also one written as 32.0 or +32, as some writers do.
bool is_unsigned_short(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double most = std::numeric_limits<std::uint16_t>::max();
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most &&
         value == std::floor(value);
}

// Where the markup that begins at `start` ends: behind its '>'. Comments and CDATA may hold any.
std::size_t end_of_markup(std::string_view xml, std::size_t start) {
  const std::string_view rest = xml.substr(start);
  const std::string_view closing = rest.starts_with("<!--") ? "-->" : rest.starts_with("<![CDATA[") ? "]]>" : ">";
  const std::size_t found = xml.find(closing, start);
  return found == std::string_view::npos ? xml.size() : found + closing.size();
}

// Throws for a text of an element that the library would cut to 16 bits.
void check_text(const std::vector<std::string_view>& path, std::string_view all_text, const std::string& file) {
  if (path.empty() || !is_count(path)) return;
  const std::string_view text = without_blanks(all_text);
  if (text.empty() || is_unsigned_short(text)) return;
  throw IoError(
      fmt::format("{}: the header's {}.{} is {}, expected a whole number from 0 to 65535 (ISMRMRD's unsignedShort)",
                  file, path[path.size() - 2], path.back(), printable(text, 40)));
}

}  // namespace

void check_header_counts(const std::string& xml, const std::string& file) {
  const std::string_view all(xml);
  constexpr std::string_view data_start = "<![CDATA[";
  constexpr std::string_view data_end = "]]>";
  std::vector<std::string_view> path;  // the names of the open elements
  std::string text;                    // since the last element began or ended; comments and CDATA may lie in it
  for (std::size_t start = all.find('<'); start < all.size();) {
    const std::size_t end = end_of_markup(all, start);
    const std::size_t next = std::min(all.find('<', end), all.size());
    const std::string_view markup = all.substr(start, end - start);
    if (markup.starts_with(data_start)) {
      const std::size_t length = markup.ends_with(data_end) ? data_end.size() : 0;
      text += markup.substr(data_start.size(), markup.size() - data_start.size() - length);
    } else if (!markup.starts_with("<!") && !markup.starts_with("<?")) {
      check_text(path, text, file);
      text.clear();
      if (markup.starts_with("</")) {
        if (!path.empty()) path.pop_back();
      } else if (!markup.ends_with("/>")) {
        path.push_back(markup.substr(1, markup.find_first_of(" \t\r\n>") - 1));
      }
    }
    text += all.substr(end, next - end);
    start = next;
  }
}

}  // namespace whorl::io
