// Options that the server and the filter share.
#pragma once

#include <string>

#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

/// Options that a server and a filter share.
struct SharedServing {
  std::string configurations;    ///< folder of named reconstructions; empty: "default" alone
  std::string noise;             ///< folder of noise scans; empty: they are kept in memory alone
  double most_megabytes = 2048;  ///< of the data of a connection or stream
};

template <>
WHORL_PUBLIC const OptionTable<SharedServing>& option_table<SharedServing>();

}  // namespace whorl
