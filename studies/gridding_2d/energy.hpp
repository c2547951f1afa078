// The energy of each step.
#pragma once

#include <optional>

#include "studies/gridding_2d/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::gridding_2d {

/// Joules of the GPU over a second or more of each step, and per sample; none on a CPU, or if NVML gives no value.
std::optional<Table> energy_table(Trial& trial);

}  // namespace whorl::studies::gridding_2d
