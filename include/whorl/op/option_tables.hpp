// The options of operators, described.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

template <>
const OptionTable<NufftOptions>& option_table<NufftOptions>();

}  // namespace whorl
