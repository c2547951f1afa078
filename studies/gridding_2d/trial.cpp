#include "studies/gridding_2d/trial.hpp"

#include "bench/timing.hpp"
#include "studies/gridding_2d/reference.hpp"

namespace whorl::studies::gridding_2d {

Index computed_points(const Step& step, const Problem& problem) {
  return step.points ? step.points(problem) : problem.grid.points();
}

Trial::Trial(const Context& ctx, const Scan& scan, double b, const Sizes& sizes)
    : ctx_(ctx),
      scan_(scan),
      problem_(make_problem(ctx, scan, b, sizes)),
      grid_(ctx, {2 * scan.grid.points()}),
      references_(all_lookups.size()) {}

void Trial::run(const Step& step) {
  if (step.prepare) step.prepare(ctx_, problem_);
  step.run(ctx_, problem_, grid_);
}

double Trial::time(const Step& step) {
  run(step);
  const auto work = [&] { step.run(ctx_, problem_, grid_); };
  const double part =
      static_cast<double>(computed_points(step, problem_)) / static_cast<double>(problem_.grid.points());
  return bench::time_work(ctx_, bench::Effort::brief, work).median_ms / part;
}

double Trial::error(const Step& step, Lookup against) {
  Array<std::complex<double>>& expected = references_[static_cast<std::size_t>(against)];
  if (expected.size() == 0) expected = reference_grid(ctx_.host(), scan_, problem_.b, against, problem_.sizes);
  return grid_error(ctx_, grid_, step.layout, expected, computed_points(step, problem_));
}

}  // namespace whorl::studies::gridding_2d
