// Options of a run as its record has them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/io/record.hpp"

namespace WHORL_PUBLIC whorl {

using Parameters = std::vector<std::pair<std::string, RunRecord::Value>>;

/// Values of options by their keys (OptionDescriptor::record): those that `takes` names and that had an effect.
Parameters parameters_of(const void* options, const OptionSet& table,
                         const std::function<bool(const OptionDescriptor&)>& takes);

/// All that are not for programs alone.
template <class Options>
WHORL_PUBLIC Parameters parameters_of(const Options& options,
                                      const OptionTable<Options>& table = option_table<Options>()) {
  return parameters_of(static_cast<const void*>(&options), table,
                       [](const OptionDescriptor& option) { return option.on_command_line; });
}

void append(Parameters& parameters, const Parameters& more);

}  // namespace whorl
