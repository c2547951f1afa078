// Tables of the options of operators.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<NufftOptions>& option_table<NufftOptions>();

}  // namespace whorl
