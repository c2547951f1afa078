// The report of an iterative solver.
#pragma once

#include <string>
#include <vector>

namespace whorl {

enum class StopReason { tolerance, iterations, breakdown };

struct SolverReport {
  int iterations = 0;
  std::vector<double> residuals;  ///< relative residual norm, before the first iteration (1) and after each
  StopReason stop_reason = StopReason::iterations;
};

/// "reached the tolerance", "reached the limit of iterations", ...
std::string to_string(StopReason reason);

}  // namespace whorl
