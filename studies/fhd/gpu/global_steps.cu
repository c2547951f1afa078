// Steps 1 to 4, with samples in global memory, and the list of all.
#include <iterator>

#include "studies/fhd/gpu/interchange.cuh"
#include "studies/fhd/gpu/launch.cuh"
#include "studies/fhd/gpu/registers.cuh"

namespace whorl::studies::fhd {

namespace gpu {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

// Several seconds of atomic additions. With a thread per sample, a part of the voxels keeps the GPU equally busy.
constexpr double scatter_terms = 2e9;

void run_scatter(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  scatter<<<blocks_for(s.samples, default_threads), default_threads, 0, stream_of(ctx)>>>(s);
  check_launch("scatter");
}

void run_fission(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  const Array<float> mu = mu_of(ctx, s);
  scatter_mu<<<blocks_for(s.samples, default_threads), default_threads, 0, stream_of(ctx)>>>(s, mu_from(mu));
  check_launch("scatter_mu");
}

void run_interchange(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  const Array<float> mu = mu_of(ctx, s);
  interchange<<<blocks_for(s.voxels, default_threads), default_threads, 0, stream_of(ctx)>>>(s, mu_from(mu));
  check_launch("interchange");
}

void run_registers(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  const Array<float> mu = mu_of(ctx, s);
  registers<<<blocks_for(s.voxels, default_threads), default_threads, 0, stream_of(ctx)>>>(s, mu_from(mu));
  check_launch("registers");
}

}  // namespace

std::vector<Step<float>> global_steps() {
  // A scatter term reads a position, and reads and writes the two parts of a sum.
  constexpr double of_scatter = 7;
  constexpr double of_interchange = 14;
  constexpr double of_registers = 7;
  return {{.name = "scatter, atomics",
           .run = run_scatter,
           .most_terms = scatter_terms,
           .accesses = of_scatter,
           .facts = facts_function(scatter)},
          {.name = "loop fission",
           .run = run_fission,
           .most_terms = scatter_terms,
           .accesses = of_scatter,
           .facts = facts_function(scatter_mu)},
          {.name = "loop interchange",
           .run = run_interchange,
           .published = "41.0 min",
           .accesses = of_interchange,
           .facts = facts_function(interchange)},
          {.name = "registers", .run = run_registers, .accesses = of_registers, .facts = facts_function(registers)}};
}

}  // namespace gpu

Step<float> shared_gpu_step() { return gpu::many_voxels_step(); }

std::vector<Step<float>> gpu_steps(const Context& ctx, Tuner& tuner) {
  std::vector<Step<float>> steps = gpu::global_steps();
  for (Step<float>& step : gpu::constant_steps(tuner)) steps.push_back(std::move(step));
  for (Step<float>& step : gpu::separable_steps(ctx)) steps.push_back(std::move(step));
  return steps;
}

}  // namespace whorl::studies::fhd
