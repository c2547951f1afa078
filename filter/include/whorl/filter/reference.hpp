// Texts for people from the descriptors of filters.
#pragma once

#include <string>

#include "whorl/filter/registry.hpp"

namespace WHORL_PUBLIC whorl {

/// All filters, one line for each.
std::string filter_table(const FilterRegistry& registry = FilterRegistry::global());

/// One filter with its parameters: filter_help(FilterRegistry::global().find("gaussian")).
std::string filter_help(const FilterDescriptor& filter);

/// All filters with their parameters, in Markdown.
std::string filter_reference(const FilterRegistry& registry = FilterRegistry::global());

}  // namespace whorl
