// FilterDescriptor: what a filter is called, does and takes. The command line, its help and the documentation are made
// from the list of descriptors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/filter/filter.hpp"

namespace whorl {

/// One parameter, for people.
struct FilterParameter {
  std::string name;
  std::string summary;
  std::string unit;                     ///< "pixels"; empty: a plain number or a word
  std::string range;                    ///< "0.1 to 100"; empty: anything
  std::optional<std::string> fallback;  ///< the value where none is given, as text; none: it must be given
  std::vector<std::string> choices;     ///< the words that it takes, where it takes words
  bool by_place = true;                 ///< may be given without its name, in the order of the list
  std::string instead{};                ///< another parameter that may be given in the place of one that must be
};

/// A value for a parameter, as text. Without a name it is the next of those that are given by place.
struct FilterArgument {
  std::string name;
  std::string value;
};

struct FilterDescriptor {
  std::string name;
  std::vector<std::string> aliases;  ///< other names of the same
  std::string summary;               ///< one line
  std::string text;                  ///< what it computes, its source, where it differs from what others call so
  std::vector<FilterParameter> parameters;
  /// Throws ValueError, naming filter and parameter, for what is unknown, missing, given twice, or out of its range.
  std::function<std::unique_ptr<Filter>(std::span<const FilterArgument>)> make;
};

/// All filters, in the order of the documentation.
std::span<const FilterDescriptor> filter_list();

/// The filter of a name or an alias. Throws ValueError, naming those that are close to it.
const FilterDescriptor& find_filter(std::string_view name);

}  // namespace whorl
