// CaseRunner: what a case needs, made once, and its time and error.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <utility>

#include "bench/cases.hpp"
#include "bench/exact_values.hpp"
#include "bench/timing.hpp"
#include "whorl/op/linear_operator.hpp"

namespace whorl::bench {

/// What was measured of a case.
struct Measurement {
  Case what;
  Index samples = 0;  ///< of the trajectory
  int repetitions = 0;
  double median_ms = 0;
  double error = 0;  ///< relative l2 error against the exact transform (exact_values.hpp)

  /// Samples of one coil that are transformed in a second; ns_per_sample is the inverse.
  double samples_per_s() const;
  double ns_per_sample() const { return 1e9 / samples_per_s(); }
  /// Terms exp(i k . r) of all coils in a second: the work of an exact transform.
  double pairs_per_s() const;
};

/// Runs one case at a time, and keeps what the next one has in common with it: trajectory, operator, input, exact
/// values.
class CaseRunner {
 public:
  explicit CaseRunner(Context ctx) : ctx_(std::move(ctx)), host_(ctx_.host()) {}

  /// Makes ready for a case. Throws what the operator does, and Cancelled.
  void prepare(const Case& what);
  /// Applies the operator once.
  void apply();
  /// Relative error of the last result.
  double error() const;

  Measurement measure(const Case& what, Effort effort = Effort::settled);

  const Case& current() const { return case_; }
  const Trajectory& trajectory() const { return trajectory_; }
  /// [coil, (z,) y, x], [coil, sample]: what the current case starts from; independent normal numbers.
  ArrayRef<const std::complex<float>> input() const;
  const ExactValues& exact() const { return exact_; }

 private:
  using Complex = std::complex<float>;

  void make_operator();
  void make_exact();

  Context ctx_;
  Context host_;
  Case case_;
  Trajectory trajectory_;
  std::string problem_, operator_name_, input_name_, exact_name_;  // what the members below and above were made for
  std::unique_ptr<LinearOperator<float>> operator_;
  Array<Complex> image_, data_;
  Array<Complex> device_image_, device_data_;
  Array<Complex> result_;
  ExactValues exact_;
};

}  // namespace whorl::bench
