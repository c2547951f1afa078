// Input-driven division of the work among threads. Neighboring samples of different threads reach the same points.
// Fine-grained, sample by sample, every sum must be atomic. Coarse-grained, with a run of samples per thread, each
// thread adds to a grid of its own, and all grids are added at the end.
#include <algorithm>
#include <cmath>
#include <vector>

#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/window.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::gridding_2d {

void atomics_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  const Extents extents = problem.grid;
  const Sample* const samples = problem.samples.data();
  const float* const table = problem.table.data();
  float* const real = grid.data();
  float* const imag = real + extents.points();
  fill<float>(grid, 0);
#pragma omp parallel for schedule(static, 1) num_threads(ctx.threads())
  for (Index j = 0; j < problem.samples.size(); ++j) {
    const Sample sample = samples[j];
    const int x0 = first_point(sample.x);
    const int y0 = first_point(sample.y);
    for (int y = y0; y < y0 + width; ++y) {
      for (int x = x0; x < x0 + width; ++x) {
        const float dx = static_cast<float>(x) - sample.x;
        const float dy = static_cast<float>(y) - sample.y;
        const float w = table[entry_at(std::sqrt(dx * dx + dy * dy))];
        const Index point = Index{wrapped(y, extents.y)} * extents.x + wrapped(x, extents.x);
#pragma omp atomic
        real[point] += w * sample.real;
#pragma omp atomic
        imag[point] += w * sample.imag;
      }
    }
  }
}

void runs_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  const Extents extents = problem.grid;
  const Sample* const samples = problem.samples.data();
  const float* const table = problem.table.data();
  const int threads = ctx.threads();
  const Index run = divide_up(problem.samples.size(), threads);
  const Index numbers = 2 * extents.points();
  std::vector<float> grids(static_cast<std::size_t>(threads * numbers));
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    float* const real = grids.data() + thread * numbers;
    float* const imag = real + extents.points();
    const Index end = std::min(problem.samples.size(), (thread + 1) * run);
    for (Index j = thread * run; j < end; ++j) {
      const Sample sample = samples[j];
      const int x0 = first_point(sample.x);
      const int y0 = first_point(sample.y);
      for (int y = y0; y < y0 + width; ++y) {
        for (int x = x0; x < x0 + width; ++x) {
          const float dx = static_cast<float>(x) - sample.x;
          const float dy = static_cast<float>(y) - sample.y;
          const float w = table[entry_at(std::sqrt(dx * dx + dy * dy))];
          const Index point = Index{wrapped(y, extents.y)} * extents.x + wrapped(x, extents.x);
          real[point] += w * sample.real;
          imag[point] += w * sample.imag;
        }
      }
    }
  }
  float* const sums = grid.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < numbers; ++i) {
    float sum = 0;
    for (int thread = 0; thread < threads; ++thread) sum += grids[static_cast<std::size_t>(thread * numbers + i)];
    sums[i] = sum;
  }
}

}  // namespace whorl::studies::gridding_2d
