// What the proximal solvers share: checks, the report, and the dual variables with the residuals.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl {

/// Throws ShapeError or ValueError, naming the solver.
template <class Real>
void check_proximal_problem(const char* solver, const QuadraticFunction<Real>& f, ArrayRef<const std::complex<Real>> x,
                            const ProximalSolverOptions& options);

/// |change| / |x|
inline double relative_change(double change, double x) { return x > 0 ? change / x : 0; }

/// Throws ValueError where a value is not finite.
void check_finite_cost(const char* solver, double value);

/// The report of a proximal solver while it goes on.
class ProximalReport {
 public:
  ProximalReport(const char* solver, const ProximalSolverOptions& options, const IterationCallback& callback)
      : solver_(solver), options_(options), callback_(callback) {}

  struct Iterate {
    double cost = 0;
    double primal = 0;
    double dual = 0;
    double gap = 0;
    double change = 0;
    double size = 0;  // |b| |x|
  };
  /// Takes what is known of an iterate; whether it is the last one.
  bool is_last(const Iterate& at);
  /// One more application of H.
  void count_application(int count = 1) { report_.operator_applications += count; }
  int iterations() const { return report_.iterations; }
  SolverReport take() { return std::move(report_); }

  /// Whether a state was kept: then it is in the arrays, and the numbers and the report are those of then. The first
  /// number is the next pass.
  template <class Real>
  bool resume(const Context& ctx, SolverStates<Real>* states, std::vector<ArrayRef<std::complex<Real>>> arrays,
              std::vector<double>& numbers) {
    SolverState<Real> state{std::move(arrays)};
    if (states == nullptr || !states->find(ctx, state)) return false;
    if (state.numbers.size() != numbers.size() || state.reports.size() != 1) {
      throw ValueError(std::string(solver_) + ": the kept state is that of another solver");
    }
    numbers = std::move(state.numbers);
    report_ = std::move(state.reports.front());
    return true;
  }
  template <class Real>
  void keep_if_due(const Context& ctx, SolverStates<Real>* states, std::vector<ArrayRef<std::complex<Real>>> arrays,
                   std::vector<double> numbers) const {
    if (states != nullptr && states->is_due()) states->keep(ctx, {std::move(arrays), std::move(numbers), {report_}});
  }

 private:
  const char* solver_;
  const ProximalSolverOptions& options_;
  const IterationCallback& callback_;
  SolverReport report_;
};

/// The dual variables y_t, all 0 at first, and what an iteration needs of them and of the gradient.
template <class Real>
class DualState {
 public:
  using Complex = std::complex<Real>;

  DualState(const Context& ctx, const QuadraticFunction<Real>& f, const std::vector<DualTerm<Real>>& terms,
            ArrayRef<const Complex> x, DualStart<Real>* start, bool relaxes = false);

  /// H x - b; the solver keeps it up to date.
  Array<Complex>& gradient() { return gradient_; }

  /// The step of all y_t at x, and what is known of x with them but for the change.
  ProximalReport::Iterate step(const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x);
  /// towards = -(gradient + sum_t W_t^H (2 y_t - old y_t))
  void descent(const Context& ctx, ArrayRef<Complex> towards) const;
  /// The dual variables move by this times the change of the last step in all.
  void relax(const Context& ctx, double by);
  /// sum_t W_t^H y_t
  const Array<Complex>& sum() const { return sum_; }
  /// The norm of all y_t.
  double duals_norm(const Context& ctx) const;
  /// |x| at the last step.
  double x_norm() const { return x_norm_; }
  /// What the next step follows from: the gradient, the sum, the dual variables and x.
  std::vector<ArrayRef<Complex>> arrays(ArrayRef<Complex> x);
  /// Leaves the dual variables in `start`.
  void leave(double step, DualStart<Real>* start);

 private:
  const QuadraticFunction<Real>& f_;
  const std::vector<DualTerm<Real>>& terms_;
  std::vector<Array<Complex>> duals_;
  std::vector<Array<Complex>> old_duals_;  // before the last step; none where no step is relaxed
  Array<Complex> gradient_;
  Array<Complex> sum_;      // of W_t^H y_t
  Array<Complex> old_sum_;  // before the last step
  Array<Complex> scratch_;
  double b_norm_;
  double x_norm_ = 0;
};

/// How a step size follows the residuals: by a factor of the root of their ratio, within limits that close.
class StepBalance {
 public:
  /// The parameter follows at iterations first, first + every, first + 2 every, ... and the logarithm of the largest factor, that of 4
  /// at first, becomes `fading` times itself each time.
  struct Pace {
    Index first = 1;
    Index every = 1;
    double fading = 0.95;
  };

  StepBalance(double start, Pace pace) : value_(start), pace_(pace) {}

  double value() const { return value_; }
  double largest() const { return largest_; }
  void restore(double value, double largest) {
    value_ = value;
    largest_ = largest;
  }
  /// Whether the value changed after the iteration.
  bool follow(Index iteration, double primal, double dual);

 private:
  static constexpr double enough = 1.1;  // factors below are left alone

  double value_;
  Pace pace_;
  double largest_ = std::log(4.0);
};

}  // namespace whorl
