// The machine of a run in words, for the record of its results.
#pragma once

#include <optional>
#include <string>

#include "whorl/core/context.hpp"

namespace whorl::studies {

/// Model and number of processors: "AMD EPYC 9454, 16 processors"; before it the GPU and its driver where the
/// context's device is one. What Linux does not tell is left out.
std::string machine_of(const Context& ctx);

/// Processes that ran or waited to, on average over the last minute (Linux's /proc/loadavg), before a study begins: other work
/// that shares the machine. Nothing where it is not told.
std::optional<double> load_of_machine();

/// The driver's version in the first line of Linux's /proc/driver/nvidia/version; empty where there is none.
std::string driver_in(const std::string& line);

}  // namespace whorl::studies
