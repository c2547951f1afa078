// The options of reading and converting scans, described.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<ScanReadOptions>& option_table<ScanReadOptions>();
/// But for the matrix and the field of view, which a file may say.
template <>
WHORL_PUBLIC const OptionTable<ConvertOptions>& option_table<ConvertOptions>();

}  // namespace whorl
