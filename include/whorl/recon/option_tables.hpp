// Tables of the options of a reconstruction.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/options.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<LeastSquaresOptions>& option_table<LeastSquaresOptions>();
template <>
WHORL_PUBLIC const OptionTable<LambdaSweepOptions>& option_table<LambdaSweepOptions>();
template <>
WHORL_PUBLIC const OptionTable<LambdaSearchOptions>& option_table<LambdaSearchOptions>();
template <>
WHORL_PUBLIC const OptionTable<StandardDeviationOptions>& option_table<StandardDeviationOptions>();
template <>
WHORL_PUBLIC const OptionTable<ErrorBarOptions>& option_table<ErrorBarOptions>();
template <>
WHORL_PUBLIC const OptionTable<ReconOptions>& option_table<ReconOptions>();

}  // namespace whorl
