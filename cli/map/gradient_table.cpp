#include "cli/map/gradient_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/command_line.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/view.hpp"

namespace whorl::cli {

namespace {

constexpr std::streamsize most_bytes = 1 << 20;

}  // namespace

std::vector<std::vector<double>> read_number_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(most_bytes) + 1, '\0');
  file.read(text.data(), most_bytes + 1);
  if (!file.is_open() || file.bad()) throw IoError(fmt::format("'{}': cannot be read", path));
  if (file.gcount() > most_bytes) throw IoError(fmt::format("'{}': more than 1 MB, expected a table of numbers", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<std::vector<double>> lines;
  std::istringstream all(text);
  Index number = 0;
  for (std::string line; std::getline(all, line);) {
    ++number;
    std::vector<double> values;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (!is_number(word)) {
        throw ValueError(fmt::format("'{}': line {} has '{}', expected numbers", path, number, word.substr(0, 40)));
      }
      values.push_back(std::stod(word));
    }
    if (!values.empty()) lines.push_back(std::move(values));
  }
  if (lines.empty()) throw ValueError(fmt::format("'{}': no numbers", path));
  return lines;
}

std::vector<double> read_b_values(const std::string& path) {
  const auto lines = read_number_lines(path);
  if (lines.size() == 1) return lines.front();
  std::vector<double> values;
  for (const auto& line : lines) {
    if (line.size() != 1) {
      throw ShapeError(
          fmt::format("'{}': {} lines, one of them with {} numbers; expected b values in one line or one a line", path,
                      lines.size(), line.size()));
    }
    values.push_back(line.front());
  }
  return values;
}

std::vector<std::array<double, 3>> read_directions(const std::string& path) {
  const auto lines = read_number_lines(path);
  const std::size_t width = lines.front().size();
  const bool even = std::all_of(lines.begin(), lines.end(), [&](const auto& line) { return line.size() == width; });
  if (!even || (lines.size() != 3 && width != 3)) {
    throw ShapeError(
        fmt::format("'{}': {} lines of {} numbers, expected three lines x, y and z or a line x y z for each image",
                    path, lines.size(), even ? std::to_string(width) : "several"));
  }
  std::vector<std::array<double, 3>> directions(lines.size() == 3 ? width : lines.size());
  for (std::size_t n = 0; n < directions.size(); ++n) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      directions[n][axis] = lines.size() == 3 ? lines[axis][n] : lines[n][axis];
    }
  }
  return directions;
}

}  // namespace whorl::cli
