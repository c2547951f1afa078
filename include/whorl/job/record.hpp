// What a record says of a reconstruction's options.
#pragma once

#include "whorl/io/parameters.hpp"
#include "whorl/recon/options.hpp"

namespace WHORL_PUBLIC whorl {

/// The options by name. Those of other density weights than Pipe-Menon's are there where they are not the usual ones.
Parameters describe(const ReconOptions& options);

}  // namespace whorl
