// Alternating directions on a GPU: what launches the kernels.
#include <utility>

#include "backend/cuda/runtime.hpp"
#include "studies/heat/adi_steps.hpp"
#include "studies/heat/gpu_adi.cuh"
#include "studies/heat/gpu_launch.cuh"
#include "studies/heat/gpu_levels.cuh"

namespace whorl::studies::heat {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using backend::cuda::upload;

constexpr int line_threads = 64;

void turn_over(const Context& ctx, const float* from, float* to, Index n) {
  constexpr int rows = 8;
  turn_over_kernel<<<dim3(blocks_for(n, turn_size), blocks_for(n, turn_size)), dim3(turn_size, rows), 0,
                     stream_of(ctx)>>>(from, to, static_cast<int>(n));
  check_launch("turn_over");
}

void divided(const Context& ctx, const PlaneJob& job) {
  const Index n = job.n;
  Array<double> u(ctx, {n * n});
  Array<double> w(ctx, {n * n});
  Array<double> after(ctx, {n * n});
  convert(ctx, job.first.data(), u.data(), n * n);
  const auto along = [&](Index apart, Index beside) {
    divided_kernel<<<blocks_for(n, line_threads), line_threads, 0, stream_of(ctx)>>>(
        u.data(), w.data(), after.data(), static_cast<int>(n), apart, beside, static_cast<double>(job.rate) / 2);
    check_launch("heat");
  };
  for (Index step = 0; step < job.steps; ++step) {
    along(1, n);
    along(n, 1);
  }
  convert(ctx, u.data(), job.last.data(), n * n);
}

/// An elimination in float on the device.
struct GpuFactors {
  GpuFactors(const Context& ctx, const PlaneJob& job) {
    const Elimination elimination = eliminate(job.n, static_cast<double>(job.rate) / 2);
    scale = upload<float>(ctx, std::vector<float>(elimination.scale.begin(), elimination.scale.end()));
    after = upload<float>(ctx, std::vector<float>(elimination.after.begin(), elimination.after.end()));
  }
  Array<float> scale;
  Array<float> after;
};

void solve(const Context& ctx, const PlaneJob& job, const GpuFactors& factors, float* u, float* w, bool rows) {
  eliminated_kernel<<<blocks_for(job.n, line_threads), line_threads, 0, stream_of(ctx)>>>(
      u, w, factors.scale.data(), factors.after.data(), static_cast<int>(job.n), rows ? 1 : job.n, rows ? job.n : 1,
      job.rate / 2);
  check_launch("heat");
}

void eliminated_by_threads(const Context& ctx, const PlaneJob& job) {
  const GpuFactors factors(ctx, job);
  Array<float> w(ctx, job.first.shape());
  copy<float>(ctx, job.first, job.last);
  for (Index step = 0; step < job.steps; ++step) {
    solve(ctx, job, factors, job.last.data(), w.data(), true);
    solve(ctx, job, factors, job.last.data(), w.data(), false);
  }
}

/// Rows turned over, so that lines lie side by side in both directions.
void rows_turned_over(const Context& ctx, const PlaneJob& job) {
  const GpuFactors factors(ctx, job);
  Array<float> w(ctx, job.first.shape());
  Array<float> turned(ctx, job.first.shape());
  copy<float>(ctx, job.first, job.last);
  for (Index step = 0; step < job.steps; ++step) {
    turn_over(ctx, job.last.data(), turned.data(), job.n);
    solve(ctx, job, factors, turned.data(), w.data(), false);
    turn_over(ctx, turned.data(), job.last.data(), job.n);
    solve(ctx, job, factors, job.last.data(), w.data(), false);
  }
}

/// A block a line, by cyclic reduction in shared memory: all steps along x, and then, turned over, all along y.
void reduced_one_axis_first(const Context& ctx, const PlaneJob& job) {
  constexpr unsigned threads = 256;
  const Levels<float> levels = levels_of<float>(static_cast<double>(job.rate) / 2);
  const auto n = static_cast<int>(job.n);
  Array<float> turned(ctx, job.first.shape());
  const auto reduce_lines = [&](float* lines) {
    equal_reduction_kernel<float><<<static_cast<unsigned>(n), threads, reduction_bytes<float>(n), stream_of(ctx)>>>(
        lines, n, 1.0F, job.steps, levels);
    check_launch("heat");
  };
  turn_over(ctx, job.first.data(), turned.data(), job.n);
  reduce_lines(turned.data());
  turn_over(ctx, turned.data(), job.last.data(), job.n);
  reduce_lines(job.last.data());
}

}  // namespace

std::vector<PlaneStep> gpu_adi_steps() {
  return {{"GPU, one line a thread, double", divided},
          {"float, elimination once", eliminated_by_threads},
          {"rows turned over", rows_turned_over},
          {"cyclic reduction, one axis first", reduced_one_axis_first}};
}

}  // namespace whorl::studies::heat
