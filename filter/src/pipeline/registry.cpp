#include "whorl/filter/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/close_words.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

std::vector<std::string> names_of(const FilterDescriptor& filter) {
  std::vector<std::string> names{filter.name};
  names.insert(names.end(), filter.aliases.begin(), filter.aliases.end());
  return names;
}

// Checks that a text can contain the name without quotes.
void check_name(const std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  if (!name.empty() && name.front() != '-' && name.find_first_not_of(letters) == std::string::npos) return;
  throw ValueError(fmt::format(
      "filter registry: the name '{}' can not be added; expected letters of a to z, digits, - and _", name));
}

}  // namespace

FilterRegistry::FilterRegistry() {
  for (FilterDescriptor& filter : filters::library_filters()) add(std::move(filter));
}

FilterRegistry& FilterRegistry::global() {
  static FilterRegistry registry;
  return registry;
}

void FilterRegistry::add(FilterDescriptor filter) {
  if (!filter.make) throw ValueError(fmt::format("filter registry: '{}' comes without a function make", filter.name));
  std::set<std::string> own;
  for (const std::string& name : names_of(filter)) {
    check_name(name);
    if (!own.insert(name).second) throw ValueError(fmt::format("filter registry: '{}' has the name twice", name));
  }
  std::set<std::string> parameters;
  for (const OptionDescriptor& parameter : filter.parameters) {
    if (parameters.insert(parameter.name).second) continue;
    throw ValueError(fmt::format("filter registry: '{}' has the parameter {} twice", filter.name, parameter.name));
  }
  const std::scoped_lock lock(mutex_);
  for (const FilterDescriptor& other : filters_) {
    for (const std::string& name : names_of(other)) {
      if (!own.contains(name)) continue;
      throw ValueError(fmt::format("filter registry: '{}' is there already{}; expected another name", name,
                                   name == other.name ? "" : fmt::format(", as another name of {}", other.name)));
    }
  }
  filters_.push_back(std::move(filter));
}

std::vector<std::reference_wrapper<const FilterDescriptor>> FilterRegistry::filters() const {
  const std::scoped_lock lock(mutex_);
  return {filters_.begin(), filters_.end()};
}

const FilterDescriptor& FilterRegistry::find(std::string_view name) const {
  std::vector<KnownWord> known;
  for (const FilterDescriptor& filter : filters()) {
    for (const std::string& candidate : names_of(filter)) {
      if (candidate == name) return filter;
      known.push_back({candidate, candidate == filter.name ? filter.summary : ""});
    }
  }
  std::vector<std::string> meant;
  for (const std::string& word : close_words(name, known)) {
    const std::string& filter = find(word).name;
    if (std::find(meant.begin(), meant.end(), filter) == meant.end()) meant.push_back(filter);
  }
  throw ValueError(
      fmt::format("no filter is called '{}'{}; docs/reference/filters.md has all", name, did_you_mean(meant)));
}

std::vector<std::string> files_to_read(const FilterDescriptor& filter, std::span<const FilterArgument> arguments) {
  std::vector<std::string> files;
  for (const OptionDescriptor& parameter : filter.parameters) {
    if (parameter.file != FileUse::input) continue;
    for (const FilterArgument& argument : arguments) {
      if (argument.name == parameter.name) files.push_back(argument.value);
    }
  }
  return files;
}

}  // namespace whorl
