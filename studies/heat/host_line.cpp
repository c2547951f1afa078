// Implicit steps of a line on a CPU.
#include <limits>
#include <utility>

#include "studies/heat/line_steps.hpp"

namespace whorl::studies::heat {

namespace {

std::vector<double> begun(const LineJob& job) { return {job.first.span().begin(), job.first.span().end()}; }

// step: elimination each time
// Elimination from the matrix each time: two divisions for every point, each of which waits for the one before.
void eliminated_each_time(const Context& /*ctx*/, const LineJob& job) {
  const double a = job.rule.a;
  std::vector<double> u = begun(job);
  const std::size_t n = u.size();
  std::vector<double> w(n);
  std::vector<double> after(n);
  for (Index step = 0; step < job.steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const double pivot = 1 + 2 * a - (i > 0 ? a * after[i - 1] : 0);
      after[i] = a / pivot;
      w[i] = (u[i] + (i > 0 ? a * w[i - 1] : 0)) / pivot;
    }
    for (std::size_t i = n - 1; i-- > 0;) w[i] += after[i] * w[i + 1];
    for (std::size_t i = 0; i < n; ++i) u[i] = w[i] + job.rule.beyond * (w[i] - u[i]);
  }
  std::copy(u.begin(), u.end(), job.last.data());
}
// end of step

// step: elimination once
// The matrix does not change: its elimination is done once, and no division is left.
void line_eliminated_once(const Context& /*ctx*/, const LineJob& job) {
  std::vector<double> u = begun(job);
  const std::size_t n = u.size();
  const Elimination elimination = eliminate(static_cast<Index>(n), job.rule.a);
  std::vector<double> w(n);
  for (Index step = 0; step < job.steps; ++step) {
    double d = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d = elimination.scale[i] * (u[i] + job.rule.a * d);
      w[i] = d;
    }
    double next = 0;
    for (std::size_t i = n; i-- > 0;) {
      next = w[i] + elimination.after[i] * next;
      u[i] = next + job.rule.beyond * (next - u[i]);
    }
  }
  std::copy(u.begin(), u.end(), job.last.data());
}
// end of step

// step: cyclic reduction
// Cyclic reduction: more operations, but no point waits for its neighbor, so the compiler vectorizes them. At either
// side are the points in reach of the last level, with the opposite sign.
void reduced(const Context& /*ctx*/, const LineJob& job) {
  const Reduction reduction = reduce(job.rule.a, std::numeric_limits<double>::epsilon());
  const Index n = job.first.size();
  const Index reach = Index{1} << reduction.factors.size();
  std::vector<double> from(static_cast<std::size_t>(n + 2 * reach));
  std::vector<double> to(from.size());
  std::vector<double> u = begun(job);
  for (Index step = 0; step < job.steps; ++step) {
    Index margin = reach;
    for (Index i = -margin; i < n + margin; ++i) {
      // The point that i is mirrored to at the walls, -1 and n, where it is 0.
      const Index period = 2 * (n + 1);
      const Index at = ((i + 1) % period + period) % period;
      const Index mirrored = at <= n ? at - 1 : period - at - 1;
      const double value = at == 0 || at == n + 1 ? 0 : u[static_cast<std::size_t>(mirrored)];
      from[static_cast<std::size_t>(reach + i)] = at <= n ? value : -value;
    }
    Index apart = 1;
    for (const double factor : reduction.factors) {
      margin -= apart;
      const double* const d = from.data() + reach;
      double* const next = to.data() + reach;
      for (Index i = -margin; i < n + margin; ++i) next[i] = d[i] + factor * (d[i - apart] + d[i + apart]);
      std::swap(from, to);
      apart *= 2;
    }
    for (Index i = 0; i < n; ++i) {
      const double w = reduction.scale * from[static_cast<std::size_t>(reach + i)];
      double& value = u[static_cast<std::size_t>(i)];
      value = w + job.rule.beyond * (w - value);
    }
  }
  std::copy(u.begin(), u.end(), job.last.data());
}
// end of step

}  // namespace

std::vector<LineStep> host_line_steps() {
  return {{"elimination each time", eliminated_each_time},
          {"elimination once", line_eliminated_once},
          {"cyclic reduction", reduced}};
}

}  // namespace whorl::studies::heat
