// Steps 1 to 4, with samples in global memory, and the list of all.
#include <limits>

#include "studies/fhd/gpu/interchange.cuh"
#include "studies/fhd/gpu/launch.cuh"
#include "studies/fhd/gpu/pairs.cuh"
#include "studies/fhd/gpu/registers.cuh"

namespace whorl::studies::fhd {

namespace gpu {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

// Several seconds of atomic additions. With a thread per sample, a part of the voxels keeps the GPU equally busy.
constexpr double scatter_terms = 2e9;

/// What one thread does in these steps.
enum class Thread { sample, pair, voxel };

/// A kernel whose only size is the number of threads of a block.
struct GlobalVariant {
  void (*kernel)(Sums<float> s, Mu mu);
  Thread thread;
};

void run_scatter(const Context& ctx, const Tuning& tuning, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  scatter<<<blocks_for(s.samples, tuning.threads), tuning.threads, 0, stream_of(ctx)>>>(s);
  check_launch("scatter");
}

void run(const Context& ctx, const GlobalVariant& variant, const Tuning& tuning, const Problem<float>& problem,
         ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  const Array<float> mu = mu_of(ctx, s);
  const Index count = variant.thread == Thread::voxel    ? s.voxels
                      : variant.thread == Thread::sample ? s.samples
                                                         : s.samples * s.voxels;
  variant.kernel<<<blocks_for(count, tuning.threads), tuning.threads, 0, stream_of(ctx)>>>(s, mu_from(mu));
  check_launch("a kernel of global memory");
}

/// Steps that add atomically are timed with every sample.
template <class Kernel, class Run>
SizedKernel<float> sized(Kernel* kernel, bool atomic, const Run& run) {
  constexpr Index atomic_terms = Index{1} << 28;
  return {
      .run = run,
      .candidates = [](const Context&) { return combinations(block_sizes(), {0}, {0}); },
      .most_samples = atomic ? std::numeric_limits<Index>::max() : most_chunk,
      .most_terms = atomic ? atomic_terms : trial_terms,
      .facts = [kernel](const Context& ctx, const Tuning& tuning) { return facts_of(ctx, kernel, tuning.threads); }};
}

Step<float> step_of(Tuner& tuner, const GlobalVariant& variant, Step<float> step) {
  const bool atomic = variant.thread != Thread::voxel;
  if (atomic) step.most_terms = scatter_terms;
  return tuned<float>(tuner,
                      sized(variant.kernel, atomic,
                            [variant](const Context& ctx, const Tuning& tuning, const Problem<float>& problem,
                                      ArrayRef<float> sums) { run(ctx, variant, tuning, problem, sums); }),
                      std::move(step));
}

}  // namespace

std::vector<Step<float>> global_steps(Tuner& tuner) {
  // A scatter term reads a position, and reads and writes the two parts of a sum.
  constexpr double of_scatter = 7;
  // A pair reads the sample too: k and Mu.
  constexpr double of_pair = 12;
  constexpr double of_interchange = 14;
  constexpr double of_registers = 7;
  return {tuned<float>(tuner, sized(scatter, true, run_scatter),
                       {.name = "scatter, atomics", .most_terms = scatter_terms, .accesses = of_scatter}),
          step_of(tuner, {scatter_mu, Thread::sample}, {.name = "loop fission", .accesses = of_scatter}),
          step_of(tuner, {pairs, Thread::pair}, {.name = "a thread a pair, atomics", .accesses = of_pair}),
          step_of(tuner, {interchange, Thread::voxel},
                  {.name = "loop interchange", .published = {"fhd", "41.0 min"}, .accesses = of_interchange}),
          step_of(tuner, {registers, Thread::voxel}, {.name = "registers", .accesses = of_registers})};
}

}  // namespace gpu

Step<float> shared_gpu_step() { return gpu::shared_step(); }

std::vector<Step<float>> gpu_steps(const Context& ctx, Tuner& tuner) {
  std::vector<Step<float>> steps = gpu::global_steps(tuner);
  for (Step<float>& step : gpu::constant_steps(tuner)) steps.push_back(std::move(step));
  for (Step<float>& step : gpu::separable_steps(ctx)) steps.push_back(std::move(step));
  return steps;
}

}  // namespace whorl::studies::fhd
