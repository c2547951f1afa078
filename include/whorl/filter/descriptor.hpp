// FilterDescriptor: what a filter is called, does and takes. The command line, its help and the documentation are made
// from the list of descriptors.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/options.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

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
  std::vector<OptionDescriptor> parameters;
  /// Throws ValueError, naming filter and parameter, for what is unknown, missing, given twice, or out of its range.
  std::function<std::unique_ptr<Filter>(std::span<const FilterArgument>)> make;
};

/// The files that a filter with these arguments reads.
std::vector<std::string> files_to_read(const FilterDescriptor& filter, std::span<const FilterArgument> arguments);

/// All filters, in the order of the documentation.
std::span<const FilterDescriptor> filter_list();

/// The filter of a name or an alias. Throws ValueError, naming those that are close to it.
const FilterDescriptor& find_filter(std::string_view name);

}  // namespace whorl
