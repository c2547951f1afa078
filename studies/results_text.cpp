// Tables as text and as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/results.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

namespace {

bool is_text(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

// Four digits, without an exponent where that is still short.
std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string shown(const Cell& cell) {
  if (is_text(cell)) return std::get<std::string>(cell);
  return std::holds_alternative<double>(cell) ? short_number(std::get<double>(cell)) : "-";
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result(1, '"');
  for (const char letter : text) result.append(letter == '"' ? 2 : 1, letter);
  result.push_back('"');
  return result;
}

std::string exact(const Cell& cell) {
  if (is_text(cell)) return quoted(std::get<std::string>(cell));
  return std::holds_alternative<double>(cell) ? fmt::format("{}", std::get<double>(cell)) : "";
}

}  // namespace

std::string to_text(const Table& table) {
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> left(columns, false);
  for (std::size_t i = 0; i < columns; ++i) {
    widths[i] = table.columns[i].size();
    for (const auto& row : table.rows) {
      widths[i] = std::max(widths[i], shown(row[i]).size());
      left[i] = left[i] || is_text(row[i]);
    }
  }
  std::string text = table.title + "\n";
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      line += left[i] ? fmt::format("{:<{}}  ", cell(i), widths[i]) : fmt::format("{:>{}}  ", cell(i), widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](std::size_t i) { return table.columns[i]; });
  for (const auto& row : table.rows) add_line([&](std::size_t i) { return shown(row[i]); });
  return text;
}

void add_picture(Results& results, const std::function<NamedPicture()>& draw) {
  try {
    results.pictures.push_back(draw());
  } catch (const Unsupported& why) {
    const std::string note = fmt::format("Pictures are left out. {}", why.what());
    if (std::find(results.notes.begin(), results.notes.end(), note) == results.notes.end()) {
      results.notes.push_back(note);
    }
  }
}

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) text += ',';
    text += quoted(table.columns[i]);
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += exact(row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace whorl::studies
