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
  /// |b - A x| / |b| at the start (1 for x = 0), then after each iteration. Proximal solvers: the larger of the primal
  /// and the dual residual.
  std::vector<double> residuals;
  /// Proximal solvers, at the same points: the value of the minimized function, and its residuals
  /// (whorl/solver/proximal_problem.hpp).
  std::vector<double> costs{};
  std::vector<double> primal_residuals{};
  std::vector<double> dual_residuals{};
  int operator_applications = 0;  ///< of proximal solvers: how often H was applied
  StopReason stop_reason = StopReason::iterations;
};

/// "reached the tolerance", "reached the limit of iterations", ...
std::string to_string(StopReason reason);

}  // namespace whorl
