// The machine of a run in words, for the record of its results.
#pragma once

#include <string>

#include "whorl/core/context.hpp"

namespace whorl::studies {

/// Model and number of processors: "AMD EPYC 9454, 16 processors"; before it the GPU and its driver where the
/// context's device is one. What Linux does not tell is left out.
std::string machine_of(const Context& ctx);

/// The driver's version in the first line of Linux's /proc/driver/nvidia/version; empty where there is none.
std::string driver_in(const std::string& line);

}  // namespace whorl::studies
