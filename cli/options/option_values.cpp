#include "cli/options/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <sstream>

namespace whorl::cli {

namespace {

// CLI11 does not say what a set holds, but a set refuses a text by listing what it holds. This one is in no set.
const std::string question = "\x1f";

std::string refusal(const std::string& list) { return question + " not in {" + list + "}"; }

std::string answer(CLI::Validator& validator) {
  std::string text = question;
  try {
    return validator(text);
  } catch (const CLI::Error&) {
    return {};
  }
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> values;
  std::istringstream stream(list);
  for (std::string value; std::getline(stream, value, ',');) values.push_back(value);
  return values;
}

}  // namespace

std::string answer_with(const std::vector<std::string>& values, const std::string& text) {
  return text == question ? refusal(fmt::format("{}", fmt::join(values, ","))) : std::string();
}

std::vector<std::string> offered_values(CLI::Option& option) {
  const std::string empty = refusal("");
  const std::size_t brace = empty.size() - 1;
  try {
    for (int i = 0;; ++i) {
      const std::string text = answer(*option.get_validator(i));
      if (text.size() > empty.size() && text.compare(0, brace, empty, 0, brace) == 0 && text.back() == '}') {
        return split(text.substr(brace, text.size() - empty.size()));
      }
    }
  } catch (const CLI::OptionNotFound&) {
    return {};  // thrown past the last validator; there is no other way to count them
  }
}

}  // namespace whorl::cli
