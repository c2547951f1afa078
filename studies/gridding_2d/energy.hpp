// The energy of each step.
#pragma once

#include <optional>

#include "studies/gridding_2d/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::gridding_2d {

/// What the table counts of a sample: a distance and an exponential for each point of its window, two products and two
/// sums.
double flops_of_sample();

/// Joules of a sample and operations of a joule over two seconds of each step: of the context's device and, for a GPU,
/// of its host beside it. None where neither NVML nor RAPL gives a value; a device without one has no rows, which a
/// note of the results says.
std::optional<Table> energy_table(Trial& trial, std::vector<std::string>& notes);

}  // namespace whorl::studies::gridding_2d
