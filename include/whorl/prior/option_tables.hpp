// Tables of the options of anatomical priors.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/prior/edge_weights.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<EdgeOptions>& option_table<EdgeOptions>();

}  // namespace whorl
