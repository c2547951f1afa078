// Parsing of the text of a pipeline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

struct FilterText {
  std::string name;
  std::vector<FilterArgument> arguments;
};

/// The filters of "gaussian sigma=1.4 | custom '0,1,0;1,2,1;0,1,0'", not yet looked up.
/// Throws ValueError for nothing between two bars and for a quote that does not end.
std::vector<FilterText> split_pipeline(std::string_view text);

}  // namespace whorl::filters
