// One scan, and the results of steps on it.
#pragma once

#include <complex>
#include <vector>

#include "studies/gridding_2d/step.hpp"

namespace whorl::studies::gridding_2d {

/// A scan on a device, with the reference sums in double precision, which are computed at first use.
class Trial {
 public:
  Trial(const Context& ctx, const Scan& scan, double b = best_b, const Sizes& sizes = {});

  const Context& ctx() const { return ctx_; }
  const Scan& scan() const { return scan_; }
  const Problem& problem() const { return problem_; }
  ArrayRef<float> grid() { return grid_; }
  /// Prepares a step and runs it once.
  void run(const Step& step);
  /// Milliseconds of the whole grid, as a ladder takes them.
  double time(const Step& step);
  /// Error of the last result, which that step gave.
  double error(const Step& step, Lookup against);

 private:
  const Context& ctx_;
  const Scan& scan_;
  Problem problem_;
  Array<float> grid_;
  std::vector<Array<std::complex<double>>> references_;
};

}  // namespace whorl::studies::gridding_2d
