// The state of a solver between two iterations, kept outside of it.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/solver/solver_report.hpp"

namespace WHORL_PUBLIC whorl {

/// All that the next iterations follow from, beside the problem and the options.
template <class Real>
struct SolverState {
  std::vector<ArrayRef<std::complex<Real>>> arrays{};  ///< of the solver, on its device
  std::vector<double> numbers{};
  std::vector<SolverReport> reports{};
};

/// Keeps the state of a solver now and then, so that a later call goes on from there. On a CPU the result has the bits
/// of a call that nothing interrupted; callbacks are told of the later iterations only. A store belongs to one call of
/// one solver: who makes it sees to that.
///
/// Threads  one solver at a time
template <class Real>
class SolverStates {
 public:
  SolverStates() = default;
  virtual ~SolverStates() = default;
  SolverStates(const SolverStates&) = delete;
  SolverStates& operator=(const SolverStates&) = delete;

  /// Whether the state is to be kept; asked once in each iteration. On a GPU the solver then waits for steps under way.
  virtual bool is_due() = 0;
  virtual void keep(const Context& ctx, const SolverState<Real>& state) = 0;
  /// Writes a kept state to the arrays of `state` and sets its numbers and reports. False: none is kept for arrays of
  /// these sizes, and nothing was written.
  virtual bool find(const Context& ctx, SolverState<Real>& state) = 0;
};

}  // namespace whorl
