// Alternating directions on a CPU, many lines side by side.
#include <algorithm>

#include "studies/heat/adi_steps.hpp"

namespace whorl::studies::heat {

namespace {

// step: lines side by side; one axis first, threads
// Some lines side by side, `lines` points for each i: the loop over them is the inner one, with vectors.
void solve_beside(float* u, Index n, Index apart, Index lines, const Factors& factors, float* w) {
  for (Index i = 0; i < n; ++i) {
    const float scale = factors.scale[static_cast<std::size_t>(i)];
    const float* const before = i > 0 ? w + (i - 1) * lines : nullptr;
    const float a = factors.a;
    for (Index line = 0; line < lines; ++line) {
      w[i * lines + line] = scale * (u[i * apart + line] + (before != nullptr ? a * before[line] : 0));
    }
  }
  for (Index i = n - 1; i >= 0; --i) {
    const float after = i + 1 < n ? factors.after[static_cast<std::size_t>(i)] : 0;
    const float* const next = w + (i + 1 < n ? i + 1 : i) * lines;
    for (Index line = 0; line < lines; ++line) {
      float& here = w[i * lines + line];
      here += after * next[line];
      u[i * apart + line] = 2 * here - u[i * apart + line];
    }
  }
}
// end of step

// step: lines side by side; one axis first, threads
constexpr Index lines_beside = 32;

// All steps of some columns, while they are in the cache.
void columns(const PlaneJob& job, float* u, const Factors& factors, Index steps, int threads) {
  const Index n = job.n;
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> w(static_cast<std::size_t>(n * lines_beside));
    std::vector<float> own(w.size());
#pragma omp for schedule(dynamic)
    for (Index x = 0; x < n; x += lines_beside) {
      const Index lines = std::min(lines_beside, n - x);
      for (Index y = 0; y < n; ++y) std::copy_n(u + y * n + x, lines, own.data() + y * lines);
      for (Index step = 0; step < steps; ++step) solve_beside(own.data(), n, lines, lines, factors, w.data());
      for (Index y = 0; y < n; ++y) std::copy_n(own.data() + y * lines, lines, u + y * n + x);
    }
  }
}

// Rows turned over become columns, which are solved side by side.
void turn_over(const float* from, float* to, Index n, int threads) {
  constexpr Index block = 32;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index y = 0; y < n; y += block) {
    for (Index x = 0; x < n; x += block) {
      for (Index i = y; i < std::min(y + block, n); ++i) {
        for (Index j = x; j < std::min(x + block, n); ++j) to[j * n + i] = from[i * n + j];
      }
    }
  }
}
// end of step

}  // namespace

// step: lines side by side
// Columns side by side, and rows too, turned over and back in each step.
void lines_side_by_side(const Context& /*ctx*/, const PlaneJob& job) {
  const Factors factors(job);
  std::vector<float> turned(static_cast<std::size_t>(job.n * job.n));
  std::copy(job.first.span().begin(), job.first.span().end(), job.last.data());
  for (Index step = 0; step < job.steps; ++step) {
    turn_over(job.last.data(), turned.data(), job.n, 1);
    columns(job, turned.data(), factors, 1, 1);
    turn_over(turned.data(), job.last.data(), job.n, 1);
    columns(job, job.last.data(), factors, 1, 1);
  }
}
// end of step

// step: one axis first, threads
// The axes commute: all steps along one, then all along the other. Lines are then independent from the first step to
// the last.
void one_axis_first(const Context& ctx, const PlaneJob& job) {
  const Factors factors(job);
  std::vector<float> turned(static_cast<std::size_t>(job.n * job.n));
  turn_over(job.first.data(), turned.data(), job.n, ctx.threads());
  columns(job, turned.data(), factors, job.steps, ctx.threads());
  turn_over(turned.data(), job.last.data(), job.n, ctx.threads());
  columns(job, job.last.data(), factors, job.steps, ctx.threads());
}
// end of step

std::vector<PlaneStep> host_adi_steps() {
  return {{"line after line, double", line_after_line},
          {"float, elimination once", eliminated_once},
          {"lines side by side", lines_side_by_side},
          {"one axis first, threads", one_axis_first}};
}

}  // namespace whorl::studies::heat
