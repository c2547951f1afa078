#include "filter/pipeline/parameter_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "whorl/core/error.hpp"

namespace whorl::filters {

namespace {

template <class T>
T value_in(const Place& place, const std::string& text, const Range<T>& range, const char* kind) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value >= range.low && value <= range.high;
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
  if (good) return value;
  throw ValueError(fmt::format("{}: {} = '{}', expected {}{}{}", place.filter, place.parameter, text, kind,
                               range.is_open() ? "" : ", ", range.text()));
}

std::string names_of(const std::vector<FilterParameter>& parameters) {
  std::string names;
  for (const FilterParameter& parameter : parameters) names += (names.empty() ? "" : ", ") + parameter.name;
  return names.empty() ? "it has none" : "it has " + names;
}

}  // namespace

double number_in(const Place& place, const std::string& text, const Range<double>& range) {
  return value_in<double>(place, text, range, "a number");
}

Index integer_in(const Place& place, const std::string& text, const Range<Index>& range) {
  return value_in<Index>(place, text, range, "a whole number");
}

std::size_t one_of(const Place& place, const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw ValueError(
      fmt::format("{}: {} = '{}', expected {}", place.filter, place.parameter, text, fmt::join(words, ", ")));
}

const std::vector<std::string>& border_words() {
  static const std::vector<std::string> words{"reflect", "replicate", "wrap", "constant"};
  return words;
}

std::vector<std::pair<std::size_t, std::string>> matched(const std::string& filter,
                                                         const std::vector<FilterParameter>& parameters,
                                                         std::span<const FilterArgument> arguments) {
  std::vector<std::pair<std::size_t, std::string>> values;
  std::set<std::size_t> given;
  std::size_t next = 0;
  for (const FilterArgument& argument : arguments) {
    std::size_t at = 0;
    if (argument.name.empty()) {
      while (next < parameters.size() && !parameters[next].by_place) ++next;
      at = next++;
    } else {
      at = static_cast<std::size_t>(
          std::find_if(parameters.begin(), parameters.end(),
                       [&](const FilterParameter& parameter) { return parameter.name == argument.name; }) -
          parameters.begin());
    }
    if (at >= parameters.size()) {
      throw ValueError(fmt::format("{}: no parameter for '{}{}{}'; {}", filter, argument.name,
                                   argument.name.empty() ? "" : "=", argument.value, names_of(parameters)));
    }
    if (!given.insert(at).second) {
      throw ValueError(fmt::format("{}: {} is given twice", filter, parameters[at].name));
    }
    values.emplace_back(at, argument.value);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FilterParameter& parameter = parameters[i];
    const bool replaced = std::any_of(given.begin(), given.end(),
                                      [&](std::size_t at) { return parameters[at].name == parameter.instead; });
    if (parameter.fallback || given.count(i) != 0 || replaced) continue;
    throw ValueError(fmt::format("{}: {} must be given ({}){}", filter, parameter.name, parameter.summary,
                                 parameter.instead.empty() ? "" : ", or " + parameter.instead));
  }
  return values;
}

}  // namespace whorl::filters
