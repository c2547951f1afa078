// Implicit steps of a line on a GPU: what launches the kernels.
#include <limits>

#include "backend/cuda/runtime.hpp"
#include "studies/heat/gpu_levels.cuh"
#include "studies/heat/gpu_line.cuh"
#include "studies/heat/line_steps.hpp"

namespace whorl::studies::heat {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using backend::cuda::upload;

constexpr int most_threads = 1024;

GpuLine line_of(const LineJob& job) {
  return {job.last.data(), static_cast<int>(job.first.size()), job.rule.a, job.rule.beyond, job.steps};
}

void one_thread(const Context& ctx, const LineJob& job) {
  const Elimination elimination = eliminate(job.first.size(), job.rule.a);
  const Array<double> scale = upload<double>(ctx, elimination.scale);
  const Array<double> after = upload<double>(ctx, elimination.after);
  Array<double> w(ctx, {job.first.size()});
  copy<double>(ctx, job.first, job.last);
  one_thread_kernel<<<1, 1, 0, stream_of(ctx)>>>(line_of(job), scale.data(), after.data(), w.data());
  check_launch("heat");
}

void cyclic_reduction(const Context& ctx, const LineJob& job) {
  const Index n = job.first.size();
  if (n > most_threads) throw ValueError("heat: a line of more points than a block has threads");
  copy<double>(ctx, job.first, job.last);
  constexpr std::size_t arrays = 4;
  const std::size_t bytes = arrays * static_cast<std::size_t>(n) * sizeof(double);
  cyclic_reduction_kernel<<<1, static_cast<unsigned>(n), bytes, stream_of(ctx)>>>(line_of(job));
  check_launch("heat");
}

void equal_reduction(const Context& ctx, const LineJob& job) {
  copy<double>(ctx, job.first, job.last);
  const Levels<double> levels = levels_of<double>(job.rule.a);
  const auto n = static_cast<int>(job.first.size());
  equal_reduction_kernel<double><<<1, most_threads, reduction_bytes<double>(n), stream_of(ctx)>>>(
      job.last.data(), n, job.rule.beyond, job.steps, levels);
  check_launch("heat");
}

}  // namespace

std::vector<LineStep> gpu_line_steps() {
  return {{"GPU, elimination by one thread", one_thread},
          {"parallel cyclic reduction", cyclic_reduction},
          {"the same for equal equations", equal_reduction}};
}

}  // namespace whorl::studies::heat
