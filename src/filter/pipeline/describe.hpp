// How a filter says what it is called and takes, once: Describe binds the parameters of a descriptor to the members of
// the filter's options.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "filter/pipeline/parameter_text.hpp"
#include "whorl/filter/border.hpp"
#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

/// Builds the descriptor of a filter that is made of Options by `make`.
template <class Options>
class Describe {
 public:
  using Make = std::unique_ptr<Filter> (*)(const Options&);

  Describe(std::string name, Make make) : make_(make) { descriptor_.name = std::move(name); }

  Describe&& alias(std::string name) && {
    descriptor_.aliases.push_back(std::move(name));
    return std::move(*this);
  }
  Describe&& summary(std::string line) && {
    descriptor_.summary = std::move(line);
    return std::move(*this);
  }
  Describe&& text(std::string text) && {
    descriptor_.text = std::move(text);
    return std::move(*this);
  }

  Describe&& real(const std::string& name, double Options::*member, Range<double> range, std::string unit,
                  std::string summary) && {
    add({name, std::move(summary), std::move(unit), range.text(), fmt::format("{}", Options{}.*member), {}},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = number_in(place, value, range);
        });
    return std::move(*this);
  }
  Describe&& integer(const std::string& name, Index Options::*member, Range<Index> range, std::string unit,
                     std::string summary) && {
    add({name, std::move(summary), std::move(unit), range.text(), fmt::format("{}", Options{}.*member), {}},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = integer_in(place, value, range);
        });
    return std::move(*this);
  }
  /// A number that may be left to the filter; `fallback` says what it then takes.
  Describe&& real(const std::string& name, std::optional<double> Options::*member, Range<double> range,
                  std::string unit, std::string summary, std::string fallback) && {
    add({name, std::move(summary), std::move(unit), range.text(), std::move(fallback), {}},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = number_in(place, value, range);
        });
    return std::move(*this);
  }
  Describe&& integer(const std::string& name, std::optional<Index> Options::*member, Range<Index> range,
                     std::string unit, std::string summary, std::string fallback) && {
    add({name, std::move(summary), std::move(unit), range.text(), std::move(fallback), {}},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = integer_in(place, value, range);
        });
    return std::move(*this);
  }
  /// Text that must be given, or another parameter in its place.
  Describe&& required_text(const std::string& name, std::string Options::*member, std::string summary,
                           std::string instead = {}) && {
    add({name, std::move(summary), {}, {}, std::nullopt, {}, true, std::move(instead)},
        [=](Options& options, const Place& /*place*/, const std::string& value) { options.*member = value; });
    return std::move(*this);
  }
  /// Text that may be left out and has to be given by name; `fallback` says what then holds.
  Describe&& optional_text(const std::string& name, std::string Options::*member, std::string summary,
                           std::string fallback) && {
    add({name, std::move(summary), {}, {}, std::move(fallback), {}, false},
        [=](Options& options, const Place& /*place*/, const std::string& value) { options.*member = value; });
    return std::move(*this);
  }
  Describe&& flag(const std::string& name, bool Options::*member, std::string summary) && {
    add({name, std::move(summary), {}, {}, Options{}.*member ? "yes" : "no", {"yes", "no"}, false},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = one_of(place, value, std::vector<std::string>{"yes", "no"}) == 0;
        });
    return std::move(*this);
  }
  /// One of some words, each with its value.
  template <class Value>
  Describe&& choice(const std::string& name, Value Options::*member, std::vector<std::pair<std::string, Value>> words,
                    std::string summary, bool by_place = true) && {
    std::vector<std::string> names;
    std::string fallback;
    for (const auto& [word, value] : words) {
      names.push_back(word);
      if (value == Options{}.*member) fallback = word;
    }
    add({name, std::move(summary), {}, {}, fallback, names, by_place},
        [=](Options& options, const Place& place, const std::string& value) {
          options.*member = words[one_of(place, value, names)].second;
        });
    return std::move(*this);
  }
  /// The parameters of BorderOptions.
  Describe&& border() && {
    add({"border",
         "what neighbors see beyond the edge",
         {},
         {},
         border_words()[static_cast<std::size_t>(Options{}.border)],
         border_words(),
         false},
        [](Options& options, const Place& place, const std::string& value) {
          options.border = static_cast<Border>(one_of(place, value, border_words()));
        });
    add({"border-value", "of the border constant, in the image's numbers", {}, {}, "0", {}, false},
        [](Options& options, const Place& place, const std::string& value) {
          options.border_value = number_in(place, value, {});
        });
    return std::move(*this);
  }

  FilterDescriptor build() && {
    // The descriptor is copied into the function that it holds: what people read of it, that is.
    descriptor_.make = [name = descriptor_.name, parameters = descriptor_.parameters, setters = setters_,
                        make = make_](std::span<const FilterArgument> arguments) {
      Options options;
      for (const auto& [parameter, value] : matched(name, parameters, arguments)) {
        setters[parameter](options, {name, parameters[parameter].name}, value);
      }
      return make(options);
    };
    return std::move(descriptor_);
  }

 private:
  using Setter = std::function<void(Options&, const Place&, const std::string&)>;

  void add(FilterParameter parameter, Setter setter) {
    descriptor_.parameters.push_back(std::move(parameter));
    setters_.push_back(std::move(setter));
  }

  FilterDescriptor descriptor_;
  std::vector<Setter> setters_;
  Make make_;
};

}  // namespace whorl::filters
