// Time and energy of work that is repeated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl::studies {

/// Joules since any moment.
using JouleCounter = std::function<double()>;

/// The counter of the context's device: NVML's for a GPU, RAPL's for a CPU. Empty where there is none; then a note says why.
JouleCounter joule_counter(const Context& ctx, std::vector<std::string>& notes);

/// What work took, what the device takes when idle included.
struct Usage {
  double runs = 0;
  double seconds = 0;              ///< of all runs
  std::optional<double> joules{};  ///< of all runs; none without a counter

  double ms() const { return 1e3 * seconds / runs; }  ///< of a run
};

/// Repeats work on the context's device for that long, once at least. Throws Cancelled.
Usage use_of(const Context& ctx, const JouleCounter& joules, double seconds, const std::function<void()>& work);

}  // namespace whorl::studies
