// The options of coil maps and coil compression, described.
#pragma once

#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/option_table.hpp"

namespace whorl {

template <>
const OptionTable<EspiritOptions>& option_table<EspiritOptions>();
template <>
const OptionTable<WalshOptions>& option_table<WalshOptions>();
template <>
const OptionTable<CoilCompressionOptions>& option_table<CoilCompressionOptions>();

}  // namespace whorl
