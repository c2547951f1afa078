// Tables of the options of coil maps and coil compression.
#pragma once

#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<EspiritOptions>& option_table<EspiritOptions>();
template <>
WHORL_PUBLIC const OptionTable<WalshOptions>& option_table<WalshOptions>();
template <>
WHORL_PUBLIC const OptionTable<CoilCompressionOptions>& option_table<CoilCompressionOptions>();
template <>
WHORL_PUBLIC const OptionTable<NlinvOptions>& option_table<NlinvOptions>();

}  // namespace whorl
