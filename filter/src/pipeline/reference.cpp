#include "whorl/filter/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace whorl {

namespace {

std::string values_of(const OptionDescriptor& parameter) {
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, ", "));
  std::string text = parameter.range.text();
  if (!parameter.unit.empty()) text += (text.empty() ? "" : " ") + parameter.unit;
  return text;
}

std::string summary_of(const OptionDescriptor& parameter) {
  return parameter.applies.empty() ? parameter.summary
                                   : fmt::format("{} (with {})", parameter.summary, parameter.applies);
}

std::string default_of(const OptionDescriptor& parameter) { return parameter.fallback.value_or("must be given"); }

}  // namespace

std::string filter_table(const FilterRegistry& registry) {
  std::string text;
  for (const FilterDescriptor& filter : registry.filters()) {
    text += fmt::format("{:<22}{}\n", filter.name, filter.summary);
  }
  return text;
}

std::string filter_help(const FilterDescriptor& filter) {
  std::string text = fmt::format("{}: {}\n", filter.name, filter.summary);
  if (!filter.aliases.empty()) text += fmt::format("also called {}\n", fmt::join(filter.aliases, ", "));
  if (!filter.text.empty()) text += fmt::format("\n{}\n", filter.text);
  if (!filter.parameters.empty())
    text += "\nParameters, in the order in which they may be given without their names:\n";
  for (const OptionDescriptor& parameter : filter.parameters) {
    const std::string values = values_of(parameter);
    text += fmt::format("  {:<14}{}{} (default: {}){}\n", parameter.name, summary_of(parameter),
                        values.empty() ? "" : "; " + values, default_of(parameter),
                        parameter.by_place ? "" : "; by name only");
  }
  return text;
}

std::string filter_reference(const FilterRegistry& registry) {
  std::string text;
  for (const FilterDescriptor& filter : registry.filters()) {
    text += fmt::format("### {}\n\n{}.", filter.name, filter.summary);
    if (!filter.text.empty()) text += fmt::format(" {}", filter.text);
    if (!filter.aliases.empty()) text += fmt::format(" Also called `{}`.", fmt::join(filter.aliases, "`, `"));
    text += "\n\n";
    if (filter.parameters.empty()) continue;
    text += "| parameter | | values | default |\n|---|---|---|---|\n";
    for (const OptionDescriptor& parameter : filter.parameters) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", parameter.name, summary_of(parameter), values_of(parameter),
                          default_of(parameter));
    }
    text += "\n";
  }
  return text;
}

}  // namespace whorl
