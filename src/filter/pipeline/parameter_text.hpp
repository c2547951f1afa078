// Which argument of a filter is for which of its parameters.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/options.hpp"
#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

/// The parameter (by index) that each argument is for. Throws ValueError for a name that is unknown or comes twice, for
/// more arguments without a name than there are parameters for, and for a parameter that must be given and is not.
std::vector<std::pair<std::size_t, std::string>> matched(const OptionSet& filter,
                                                         std::span<const FilterArgument> arguments);

/// Throws ValueError for a parameter that was given and has no effect beside the others.
void check_effect(const OptionSet& filter, const void* options, std::size_t parameter);

}  // namespace whorl::filters
