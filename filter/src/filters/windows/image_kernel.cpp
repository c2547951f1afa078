#include "whorl/filter/windows/image_kernel.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double largest_weight = 1e9;
// A kernel of the largest size takes no more text than this, even with more digits than a double has.
constexpr std::size_t longest_text = longest_kernel_side * longest_kernel_side * 32;

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Returns the part before a separator, and removes both from the rest.
std::string_view next_part(std::string_view& rest, std::string_view separators) {
  const std::size_t end = rest.find_first_of(separators);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

double entry(std::string_view text, Index row, Index column) {
  text = trimmed(text);
  std::string_view number = text;
  if (number.size() > 1 && number.front() == '+' && number[1] != '-') number.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc{} && end == number.data() + number.size() && std::abs(value) <= largest_weight) return value;
  constexpr std::size_t shown = 24;
  throw ValueError(fmt::format("kernel: row {}, entry {} is '{}{}', expected a number of at most {} in magnitude",
                               row + 1, column + 1, text.substr(0, shown), text.size() > shown ? "..." : "",
                               largest_weight));
}

}  // namespace

void check_kernel(const ImageKernel& kernel) {
  for (const auto& [name, extent] : {std::pair{"width", kernel.width}, std::pair{"height", kernel.height}}) {
    if (extent >= 1 && extent <= longest_kernel_side && extent % 2 == 1) continue;
    throw ValueError(
        fmt::format("kernel: {} {}, expected an odd number from 1 to {}", name, extent, longest_kernel_side));
  }
  if (kernel.values.size() != static_cast<std::size_t>(kernel.width * kernel.height)) {
    throw ValueError(fmt::format("kernel: {} values, expected {} ({} rows of {})", kernel.values.size(),
                                 kernel.width * kernel.height, kernel.height, kernel.width));
  }
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    if (std::abs(kernel.values[i]) <= largest_weight) continue;
    const auto at = static_cast<Index>(i);
    throw ValueError(fmt::format("kernel: row {}, entry {} is {}, expected a number of at most {} in magnitude",
                                 at / kernel.width + 1, at % kernel.width + 1, kernel.values[i], largest_weight));
  }
}

ImageKernel parse_kernel(std::string_view text) {
  ImageKernel kernel{0, 0, {}};
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(";\n");
    const bool marked = end != std::string_view::npos && text[end] == ';';
    std::string_view row = next_part(text, ";\n");
    // A row may end with both a separator and a line end.
    const std::size_t next = text.find_first_not_of(blanks);
    if (marked && next != std::string_view::npos && text[next] == '\n') text.remove_prefix(next + 1);
    if (trimmed(row).empty()) {
      if (trimmed(text).empty() || kernel.height == 0) continue;
      throw ValueError(fmt::format("kernel: row {} is empty", kernel.height + 1));
    }
    Index entries = 0;
    for (bool more = true; more; ++entries) {
      if (entries == longest_kernel_side || kernel.height == longest_kernel_side) {
        throw ValueError(fmt::format("kernel: more than {} {}", longest_kernel_side,
                                     entries == longest_kernel_side ? "entries in a row" : "rows"));
      }
      more = row.find(',') != std::string_view::npos;
      kernel.values.push_back(entry(next_part(row, ","), kernel.height, entries));
    }
    if (kernel.height > 0 && entries != kernel.width) {
      throw ValueError(fmt::format("kernel: row {} has {} entries, expected {} as in row 1", kernel.height + 1, entries,
                                   kernel.width));
    }
    kernel.width = entries;
    ++kernel.height;
  }
  if (kernel.height == 0) throw ValueError("kernel: no numbers, expected rows like 'a,b,c;d,e,f;g,h,i'");
  check_kernel(kernel);
  return kernel;
}

ImageKernel read_kernel(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(longest_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  // At the end of the file a read fails only because it is shorter than requested.
  if (!file.eof() && (text.empty() || file.bad())) {
    throw IoError(fmt::format("{}: can not be read, expected a text file with a kernel", path.string()));
  }
  if (text.size() > longest_text) {
    throw IoError(fmt::format("{}: larger than {} bytes, expected a kernel of at most {} by {} numbers", path.string(),
                              longest_text, longest_kernel_side, longest_kernel_side));
  }
  try {
    return parse_kernel(text);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace whorl
