// What the descriptors of filters say, for people.
#pragma once

#include <string>

#include "whorl/filter/descriptor.hpp"

namespace whorl::cli {

/// All filters, a line each.
std::string filter_table();

/// One filter with its parameters.
std::string filter_help(const FilterDescriptor& filter);

/// All of them as the reference of docs/filters.md.
std::string filter_reference();

}  // namespace whorl::cli
