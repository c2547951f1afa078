// A reconstruction's options in the record of a run.
#pragma once

#include "whorl/io/parameters.hpp"
#include "whorl/recon/options.hpp"

namespace WHORL_PUBLIC whorl {

/// The options by name. Options of density weights other than Pipe-Menon's are included where they differ from the defaults.
Parameters describe(const ReconOptions& options);

}  // namespace whorl
