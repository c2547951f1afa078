#include "whorl/filter/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/close_words.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {

namespace {

std::string names_of(const std::vector<OptionDescriptor>& parameters) {
  std::string names;
  for (const OptionDescriptor& parameter : parameters) names += (names.empty() ? "" : ", ") + parameter.name;
  return names.empty() ? "it has none" : "it has " + names;
}

// "sigma=2" for "sigm=2".
std::vector<std::string> close_arguments(const FilterArgument& argument,
                                         const std::vector<OptionDescriptor>& parameters) {
  std::vector<std::string> names;
  for (const OptionDescriptor& parameter : parameters) names.push_back(parameter.name);
  std::vector<std::string> close = close_words(argument.name, names);
  for (std::string& name : close) name += "=" + argument.value;
  return close;
}

}  // namespace

std::vector<std::pair<std::size_t, std::string>> matched_arguments(const OptionSet& filter,
                                                                   std::span<const FilterArgument> arguments) {
  const std::vector<OptionDescriptor> parameters = filter.descriptors();
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
                       [&](const OptionDescriptor& parameter) { return parameter.name == argument.name; }) -
          parameters.begin());
    }
    if (at >= parameters.size()) {
      throw ValueError(fmt::format("{}: no parameter for '{}{}{}'{}; {}", filter.title(), argument.name,
                                   argument.name.empty() ? "" : "=", argument.value,
                                   did_you_mean(close_arguments(argument, parameters)), names_of(parameters)));
    }
    if (!given.insert(at).second) {
      throw ValueError(fmt::format("{}: {} is given twice", filter.title(), parameters[at].name));
    }
    values.emplace_back(at, argument.value);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const OptionDescriptor& parameter = parameters[i];
    const bool replaced = std::any_of(given.begin(), given.end(),
                                      [&](std::size_t at) { return parameters[at].name == parameter.instead; });
    if (parameter.fallback || given.count(i) != 0 || replaced) continue;
    throw ValueError(fmt::format("{}: {} must be given ({}){}", filter.title(), parameter.name, parameter.summary,
                                 parameter.instead.empty() ? "" : ", or " + parameter.instead));
  }
  return values;
}

void check_effect(const OptionSet& filter, const void* options, std::size_t parameter) {
  if (filter.applies_to(options, parameter)) return;
  const OptionDescriptor& what = filter.bindings()[parameter].what;
  throw ValueError(fmt::format("{}: {} applies only with {}", filter.title(), what.name, what.applies));
}

}  // namespace whorl::detail
