#include "filter/src/pipeline/pipeline_text.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::filters {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// One word, without its quotes; `equals` is the position of its first '=' outside quotes, or npos.
struct Word {
  std::string text;
  std::size_t equals = std::string::npos;
};

Word next_word(std::string_view& rest, std::string_view whole) {
  Word word;
  char quote = 0;
  while (!rest.empty() && (quote != 0 || (!is_blank(rest.front()) && rest.front() != '|'))) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      if (quote == 0 && c == '=' && word.equals == std::string::npos) word.equals = word.text.size();
      word.text += c;
    }
  }
  if (quote != 0)
    throw ValueError(fmt::format("filter pipeline '{}': a quote {} is opened and not closed", whole, quote));
  return word;
}

}  // namespace

std::vector<FilterText> split_pipeline(std::string_view text) {
  std::vector<FilterText> filters(1);
  bool named = false;
  std::string_view rest = text;
  const auto check_named = [&] {
    if (named) return;
    throw ValueError(fmt::format("filter pipeline '{}': no filter {}; expected NAME [PARAMETER=VALUE...] | NAME ...",
                                 text, filters.size() == 1 && rest.empty() ? "in it" : "on one side of a bar"));
  };
  while (!rest.empty()) {
    if (is_blank(rest.front())) {
      rest.remove_prefix(1);
    } else if (rest.front() == '|') {
      check_named();
      rest.remove_prefix(1);
      filters.emplace_back();
      named = false;
    } else {
      Word word = next_word(rest, text);
      if (!named) {
        filters.back().name = std::move(word.text);
        named = true;
      } else if (word.equals == std::string::npos || word.equals == 0) {
        filters.back().arguments.push_back({{}, std::move(word.text)});
      } else {
        filters.back().arguments.push_back({word.text.substr(0, word.equals), word.text.substr(word.equals + 1)});
      }
    }
  }
  check_named();
  return filters;
}

}  // namespace whorl::filters
