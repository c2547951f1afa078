// The report of an iterative solver.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class StopReason {
  tolerance,
  iterations,
  breakdown,
  callback,  ///< the caller's function returned false
};

struct SolverReport {
  int iterations = 0;
  std::vector<double> residuals;  ///< |b - A x| / |b|: of the start (1 for x = 0), then after each iteration
  StopReason stop_reason = StopReason::iterations;
};

/// "reached the tolerance", "reached the limit of iterations", ...
std::string to_string(StopReason reason);

}  // namespace whorl
