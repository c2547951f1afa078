#include "io/pulseq/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/ask.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io::pulseq {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace

bool Lines::next(std::string_view& line) {
  if (again_) {
    again_ = false;
    line = line_;
    return true;
  }
  while (!rest_.empty()) {
    detail::ask_at(*ctx_, number_, "reading a sequence");
    ++number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view whole = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    line_ = trimmed(whole.substr(0, whole.find('#')));
    if (line_.empty()) continue;
    line = line_;
    return true;
  }
  return false;
}

void Lines::fail(const std::string& reason) const {
  throw IoError(fmt::format("'{}': line {} '{}': {}", source_, number_, printable(line_, 60), reason));
}

std::vector<std::string_view> Lines::words() const {
  std::vector<std::string_view> words;
  for (std::string_view rest = line_; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
    words.push_back(rest.substr(0, end));
    rest = trimmed(rest.substr(end));
  }
  return words;
}

double Lines::number(std::string_view word) const {
  double number = 0;
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(number)) {
    fail(fmt::format("expected a number, got '{}'", printable(word, 20)));
  }
  return number;
}

std::vector<double> Lines::numbers(std::size_t least, std::size_t most) const {
  const std::vector<std::string_view> all = words();
  if (all.size() < least || all.size() > most) {
    fail(fmt::format("expected {}{} numbers in this section, got {}", least,
                     most > least ? fmt::format(" to {}", most) : "", all.size()));
  }
  std::vector<double> numbers;
  numbers.reserve(all.size());
  for (const std::string_view word : all) numbers.push_back(number(word));
  return numbers;
}

Id Lines::id(double number, Id least) const {
  if (!(number >= least && number <= std::numeric_limits<Id>::max()) || number != std::floor(number)) {
    fail(fmt::format("expected a whole number from {} on as that of an event, got {:g}", least, number));
  }
  return static_cast<Id>(number);
}

Index Lines::count(double number, Index most) const {
  if (!(number >= 0 && number <= static_cast<double>(most)) || number != std::floor(number)) {
    fail(fmt::format("expected a whole number from 0 to {}, got {:g}", most, number));
  }
  return static_cast<Index>(number);
}

}  // namespace whorl::io::pulseq
