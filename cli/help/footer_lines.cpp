#include "cli/help/footer_lines.hpp"

#include <cctype>
#include <sstream>

namespace whorl::cli {

namespace {

// The deepest indentation of lines that stand for themselves: rows of tables, commands of examples.
constexpr std::size_t row_indent = 2;

bool goes_on(const std::string& before, const std::string& line) {
  if (before.empty() || line.empty() || line == "Examples:") return false;
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent > 0) return indent > row_indent && indent == text_column(before);
  if (before.front() == ' ') return false;
  const bool is_lower = std::islower(static_cast<unsigned char>(line.front())) != 0;
  return is_lower || (before.back() != '.' && before.back() != ':');
}

}  // namespace

std::size_t text_column(const std::string& line) {
  const std::size_t start = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", start);
  return gap == std::string::npos ? start : line.find_first_not_of(' ', gap);
}

std::vector<std::string> joined_lines(const std::string& footer) {
  std::vector<std::string> joined;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (joined.empty() || !goes_on(joined.back(), line)) {
      joined.push_back(line);
    } else {
      joined.back() += " " + line.substr(line.find_first_not_of(' '));
    }
  }
  return joined;
}

}  // namespace whorl::cli
