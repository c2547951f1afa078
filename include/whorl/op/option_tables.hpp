// Tables of the options of operators.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<NufftOptions>& option_table<NufftOptions>();
/// Options of a Nufft where a tolerance of 0 is one that the user of the options chooses.
const OptionTable<NufftOptions>& options_with_automatic_tolerance();

template <>
WHORL_PUBLIC const OptionTable<DftOptions>& option_table<DftOptions>();

}  // namespace whorl
