// Tables of the options for reading and converting scans, and for sequences.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/io/convert_options.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/pulseq.hpp"

namespace WHORL_PUBLIC whorl {

template <>
WHORL_PUBLIC const OptionTable<ScanReadOptions>& option_table<ScanReadOptions>();
/// Without the matrix and the field of view, which a file may state.
template <>
WHORL_PUBLIC const OptionTable<ConvertOptions>& option_table<ConvertOptions>();
/// Without the field of view.
template <>
WHORL_PUBLIC const OptionTable<PulseqShot>& option_table<PulseqShot>();

}  // namespace whorl
