// The descriptor of each filter; the list of them is in filter_list.cpp.
#pragma once

#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

FilterDescriptor flip_descriptor();

}  // namespace whorl::filters
