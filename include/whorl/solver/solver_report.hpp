// The report of an iterative solver.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class StopReason {
  tolerance,
  iterations,
  breakdown,
  callback,  ///< the caller's function returned false
  change,    ///< of proximal solvers: an iteration changed little
  error,     ///< the estimated error of x is below its limit
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
  /// A bound on how far the function is from its least value, if that lies no farther from x than 0 (proximal_problem.hpp).
  std::vector<double> gaps{};
  std::vector<double> changes{};  ///< |x - x before| / |x| of each iteration; of the start 0
  int operator_applications = 0;  ///< of proximal solvers: how often H was applied
  StopReason stop_reason = StopReason::iterations;
};

/// "reached the tolerance", "reached the limit of iterations", ...
std::string to_string(StopReason reason);
/// Whether no solve ended at the limit of iterations or because rounding errors dominate.
WHORL_PUBLIC bool all_ended(std::span<const SolverReport> reports);
/// Ends of several solves: where they ended for different reasons, how many ended for each.
WHORL_PUBLIC std::string describe_ends(std::span<const SolverReport> reports);

}  // namespace whorl
