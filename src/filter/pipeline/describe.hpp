// How a filter says what it is called and takes, once: Describe is the table of its options (whorl/core/options.hpp), and
// what makes the filter of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "filter/pipeline/parameter_text.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/filter/border.hpp"
#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

/// Builds the descriptor of a filter that is made of Options by `make`.
template <class Options>
class Describe : public OptionBuilder<Describe<Options>, Options> {
 public:
  using Make = std::unique_ptr<Filter> (*)(const Options&);

  Describe(const std::string& name, Make make) : OptionBuilder<Describe<Options>, Options>(name), make_(make) {}

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
  /// The parameters of BorderOptions.
  Describe&& border() && {
    return std::move(*this)
        .template choice<Border>("border", &Options::border,
                                 {{"reflect", Border::reflect},
                                  {"replicate", Border::replicate},
                                  {"wrap", Border::wrap},
                                  {"constant", Border::constant}},
                                 "what neighbors see beyond the edge", false)
        .real("border-value", &Options::border_value, {}, "", "in the image's numbers")
        .when("border=constant", [](const Options& options) { return options.border == Border::constant; })
        .by_name_only();
  }
  /// The parameter before it has to be given with its name.
  Describe&& by_name_only() && {
    this->for_the_last([](OptionBinding& binding) { binding.what.by_place = false; });
    return std::move(*this);
  }

  FilterDescriptor build() && {
    descriptor_.name = this->title();
    descriptor_.parameters = this->descriptors();
    const OptionSet& options_of_the_filter = *this;
    descriptor_.make = [table = options_of_the_filter, make = make_](std::span<const FilterArgument> arguments) {
      Options options;
      const auto given = matched(table, arguments);
      for (const auto& [parameter, value] : given) table.set_value(&options, parameter, value);
      for (const auto& [parameter, value] : given) check_effect(table, &options, parameter);
      return make(options);
    };
    return std::move(descriptor_);
  }

 private:
  FilterDescriptor descriptor_;
  Make make_;
};

}  // namespace whorl::filters
