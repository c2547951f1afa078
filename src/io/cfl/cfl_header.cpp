#include "io/cfl/cfl_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"

namespace whorl::io {

namespace {

/// Takes a line off the front of a text.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<Index> parse_dimensions(std::string_view line, const std::string& file) {
  std::vector<Index> dimensions;
  Index size = 1;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) break;
    Index extent = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), extent);
    if (error != std::errc{} || extent < 1 || extent > std::numeric_limits<Index>::max() / 16 / size) {
      throw IoError(fmt::format("'{}': expected dimensions of 1 and more whose product fits a file, got '{}'", file,
                                printable(line, 40)));
    }
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    size *= extent;
    dimensions.push_back(extent);
  }
  if (dimensions.empty() || dimensions.size() > most_cfl_dimensions) {
    throw IoError(
        fmt::format("'{}': expected 1 to {} dimensions, got {}", file, most_cfl_dimensions, dimensions.size()));
  }
  return dimensions;
}

}  // namespace

CflHeader parse_cfl_header(std::string_view text, const std::string& file) {
  CflHeader header;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line == "# Dimensions" && header.dimensions.empty())
      header.dimensions = parse_dimensions(next_line(text), file);
    if (line == "# Whorl") header.scan = next_line(text);
  }
  if (header.dimensions.empty()) {
    throw IoError(fmt::format("'{}' is not a header of BART: it has no section '# Dimensions'", file));
  }
  return header;
}

std::string format_cfl_header(const CflHeader& header) {
  std::string text = "# Dimensions\n";
  for (std::size_t i = 0; i < most_cfl_dimensions; ++i) {
    text += fmt::format("{} ", i < header.dimensions.size() ? header.dimensions[i] : 1);
  }
  text += fmt::format("\n# Creator\nwhorl {}\n", version());
  if (!header.scan.empty()) text += "# Whorl\n" + header.scan + "\n";
  return text;
}

}  // namespace whorl::io
