// DescribeFilter: the description of a filter: its name, its help, the table of its options (whorl/core/options.hpp),
// and the function that makes the filter from them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/filter/border.hpp"
#include "whorl/filter/descriptor.hpp"

namespace WHORL_PUBLIC whorl {

namespace detail {
/// The parameter (by index) of each argument. Throws ValueError for a name that is unknown or given twice, for more
/// arguments without a name than there are parameters, and for a required parameter that is missing.
std::vector<std::pair<std::size_t, std::string>> matched_arguments(const OptionSet& filter,
                                                                   std::span<const FilterArgument> arguments);
/// Throws ValueError for a parameter that was given and has no effect beside the others.
void check_effect(const OptionSet& filter, const void* options, std::size_t parameter);
}  // namespace detail

/// Builds the descriptor of a filter that is made from a struct of options. An example:
///
///   FilterRegistry::global().add(DescribeFilter<PosterizeOptions>("posterize", make_posterize)
///                                    .summary("Keep a few levels of each channel")
///                                    .integer("levels", &PosterizeOptions::levels, {2, 256}, "", "how many")
///                                    .build());
///
/// The table checks every value, of texts and of structs. The function checks what the table cannot know.
template <class Options>
class DescribeFilter : public OptionBuilder<DescribeFilter<Options>, Options> {
 public:
  using Make = std::function<std::unique_ptr<Filter>(const Options&)>;

  /// `name`: letters of a to z, digits, - and _.
  DescribeFilter(const std::string& name, Make make)
      : OptionBuilder<DescribeFilter<Options>, Options>(name), make_(std::move(make)) {}

  /// Another name of the filter.
  DescribeFilter&& alias(std::string name) && {
    descriptor_.aliases.push_back(std::move(name));
    return std::move(*this);
  }
  /// What it does, in one line.
  DescribeFilter&& summary(std::string line) && {
    descriptor_.summary = std::move(line);
    return std::move(*this);
  }
  /// What it computes, its source, and how it differs from filters of this name in other programs.
  DescribeFilter&& text(std::string text) && {
    descriptor_.text = std::move(text);
    return std::move(*this);
  }
  /// The parameters of BorderOptions, which Options derives from.
  DescribeFilter&& border() && {
    return std::move(*this)
        .template choice<Border>("border", &Options::border,
                                 {{"reflect", Border::reflect},
                                  {"replicate", Border::replicate},
                                  {"wrap", Border::wrap},
                                  {"constant", Border::constant}},
                                 "how the image continues beyond its edge", false)
        .real("border-value", &Options::border_value, {}, "", "value beyond the edge, in the image's numbers")
        .when("border=constant", [](const Options& options) { return options.border == Border::constant; })
        .by_name_only();
  }
  /// The parameter that was added last must be given by name.
  DescribeFilter&& by_name_only() && {
    this->for_the_last([](OptionBinding& binding) { binding.what.by_place = false; });
    return std::move(*this);
  }

  /// Throws ValueError for a value out of its range.
  void check(const Options& options) const { this->check_values(&options); }

  /// The filter of these options. Throws as `check` and as the filter's function.
  std::unique_ptr<Filter> make(const Options& options) const {
    check(options);
    return make_(options);
  }

  FilterDescriptor build() const {
    FilterDescriptor descriptor = descriptor_;
    descriptor.name = this->title();
    descriptor.parameters = this->descriptors();
    const OptionSet& options_of_the_filter = *this;
    descriptor.make = [table = options_of_the_filter, make = make_](std::span<const FilterArgument> arguments) {
      Options options;
      const auto given = detail::matched_arguments(table, arguments);
      for (const auto& [parameter, value] : given) table.set_value(&options, parameter, value);
      for (const auto& [parameter, value] : given) detail::check_effect(table, &options, parameter);
      return make(options);
    };
    return descriptor;
  }

 private:
  FilterDescriptor descriptor_;
  Make make_;
};

}  // namespace whorl
