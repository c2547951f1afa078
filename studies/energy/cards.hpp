// Several GPUs of a machine.
#pragma once

#include <optional>

#include "studies/energy/jobs.hpp"
#include "studies/results.hpp"

namespace whorl::studies::energy {

/// Reconstructions a second and joules of one by 1, 2, 4, ... and all GPUs of the machine, each of which does its own. None on
/// a CPU, or where there is one GPU.
std::optional<Table> cards_table(const Context& ctx, const Options& options);

}  // namespace whorl::studies::energy
