// Alternating directions on a CPU, line after line.
#include <algorithm>

#include "studies/heat/adi_steps.hpp"

namespace whorl::studies::heat {

namespace {

// step: line after line, double
// Elimination in place along a line whose points are `apart` numbers from each other, with the divisions.
void eliminate_line(double* u, Index n, Index apart, double a, std::vector<double>& w, std::vector<double>& after) {
  double d = 0;
  double below = 0;
  for (Index i = 0; i < n; ++i) {
    const double pivot = 1 + 2 * a - a * below;
    below = a / pivot;
    d = (u[i * apart] + a * d) / pivot;
    after[static_cast<std::size_t>(i)] = below;
    w[static_cast<std::size_t>(i)] = d;
  }
  double next = 0;
  for (Index i = n - 1; i >= 0; --i) {
    next = w[static_cast<std::size_t>(i)] + after[static_cast<std::size_t>(i)] * next;
    u[i * apart] = 2 * next - u[i * apart];
  }
}
// end of step

// step: float, elimination once
// One line after the other, as above.
void eliminate_line(float* u, Index n, Index apart, const Factors& factors, std::vector<float>& w) {
  float d = 0;
  for (Index i = 0; i < n; ++i) {
    d = factors.scale[static_cast<std::size_t>(i)] * (u[i * apart] + factors.a * d);
    w[static_cast<std::size_t>(i)] = d;
  }
  float next = 0;
  for (Index i = n - 1; i >= 0; --i) {
    next = w[static_cast<std::size_t>(i)] + factors.after[static_cast<std::size_t>(i)] * next;
    u[i * apart] = 2 * next - u[i * apart];
  }
}
// end of step

}  // namespace

// step: line after line, double
// Line after line, along x and then along y, where a line's points lie a row apart.
void line_after_line(const Context& /*ctx*/, const PlaneJob& job) {
  const Index n = job.n;
  std::vector<double> u(job.first.span().begin(), job.first.span().end());
  std::vector<double> w(static_cast<std::size_t>(n));
  std::vector<double> after(static_cast<std::size_t>(n));
  const double a = static_cast<double>(job.rate) / 2;
  for (Index step = 0; step < job.steps; ++step) {
    for (Index y = 0; y < n; ++y) eliminate_line(u.data() + y * n, n, 1, a, w, after);
    for (Index x = 0; x < n; ++x) eliminate_line(u.data() + x, n, n, a, w, after);
  }
  std::transform(u.begin(), u.end(), job.last.data(), [](double value) { return static_cast<float>(value); });
}
// end of step

// step: float, elimination once
Factors::Factors(const PlaneJob& job) : a(job.rate / 2) {
  const Elimination elimination = eliminate(job.n, static_cast<double>(job.rate) / 2);
  scale.assign(elimination.scale.begin(), elimination.scale.end());
  after.assign(elimination.after.begin(), elimination.after.end());
}
// end of step

// step: float, elimination once
// The divisions are done once for all lines and steps.
void eliminated_once(const Context& /*ctx*/, const PlaneJob& job) {
  const Index n = job.n;
  const Factors factors(job);
  std::vector<float> w(static_cast<std::size_t>(n));
  std::copy(job.first.span().begin(), job.first.span().end(), job.last.data());
  float* const u = job.last.data();
  for (Index step = 0; step < job.steps; ++step) {
    for (Index y = 0; y < n; ++y) eliminate_line(u + y * n, n, 1, factors, w);
    for (Index x = 0; x < n; ++x) eliminate_line(u + x, n, n, factors, w);
  }
}
// end of step

}  // namespace whorl::studies::heat
