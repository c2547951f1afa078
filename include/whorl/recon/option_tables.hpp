// The options of a reconstruction, described.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/options.hpp"

namespace whorl {

template <>
const OptionTable<LeastSquaresOptions>& option_table<LeastSquaresOptions>();
template <>
const OptionTable<LambdaSweepOptions>& option_table<LambdaSweepOptions>();
template <>
const OptionTable<LambdaSearchOptions>& option_table<LambdaSearchOptions>();
template <>
const OptionTable<StandardDeviationOptions>& option_table<StandardDeviationOptions>();
template <>
const OptionTable<ErrorBarOptions>& option_table<ErrorBarOptions>();
template <>
const OptionTable<ReconOptions>& option_table<ReconOptions>();

}  // namespace whorl
