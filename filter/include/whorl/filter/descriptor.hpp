// FilterDescriptor: name, help and parameters of a filter. Texts of pipelines, the command line, its help and the
// documentation use descriptors.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/options.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

/// A value for a parameter, as text. Without a name it is for the next parameter in order.
struct FilterArgument {
  std::string name;
  std::string value;
};

/// DescribeFilter (whorl/filter/describe.hpp) makes one from a table of options; FilterRegistry keeps them.
struct FilterDescriptor {
  std::string name;
  std::vector<std::string> aliases;  ///< other names of the filter
  std::string summary;               ///< one line
  std::string text;                  ///< what it computes, its source, how it differs from other programs
  std::vector<OptionDescriptor> parameters;
  /// Throws ValueError, naming filter and parameter, if one is unknown, missing, given twice, or out of its range.
  std::function<std::unique_ptr<Filter>(std::span<const FilterArgument>)> make;
};

/// The files that a filter with these arguments reads.
std::vector<std::string> files_to_read(const FilterDescriptor& filter, std::span<const FilterArgument> arguments);

}  // namespace whorl
