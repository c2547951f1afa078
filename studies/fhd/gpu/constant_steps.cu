// Steps 5 to 10, with samples in constant memory.
#include <algorithm>
#include <string>

#include "studies/fhd/gpu/hardware_functions.cuh"
#include "studies/fhd/gpu/launch.cuh"
#include "studies/fhd/gpu/many_voxels.cuh"
#include "studies/fhd/gpu/unrolled.cuh"

namespace whorl::studies::fhd::gpu {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

/// A kernel that adds the samples in constant memory.
struct ConstantVariant {
  void (*kernel)(Sums<float> s, Mu mu, int samples);
  int voxels = 1;  ///< of a thread
};

void copy_to_chunk(const Context& ctx, int place, const float* from, Index count) {
  // In the stream's order: a chunk is replaced when the kernel that reads it is done.
  check(cudaMemcpyToSymbolAsync(chunk, from, static_cast<std::size_t>(count) * sizeof(float),
                                static_cast<std::size_t>(place) * sizeof(float), cudaMemcpyDeviceToDevice,
                                stream_of(ctx)),
        "cudaMemcpyToSymbolAsync");
}

/// Starts the kernel once for each chunk; `load` puts the samples from the first on into constant memory.
template <class Load>
void in_chunks(const Context& ctx, const ConstantVariant& variant, const Tuning& tuning, const Sums<float>& s,
               const Load& load) {
  const Array<float> mu = mu_of(ctx, s);
  const unsigned blocks = blocks_for(s.voxels, Index{tuning.threads} * variant.voxels);
  for (Index first = 0; first < s.samples; first += tuning.chunk) {
    const Index count = std::min<Index>(tuning.chunk, s.samples - first);
    load(first, count);
    variant.kernel<<<blocks, tuning.threads, 0, stream_of(ctx)>>>(s, mu_from(mu, first), static_cast<int>(count));
    check_launch("a kernel of constant memory");
  }
}

void run_planes(const Context& ctx, const Tuning& tuning, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  in_chunks(ctx, {constant_memory}, tuning, s, [&](Index first, Index count) {
    copy_to_chunk(ctx, 0, s.kx + first, count);
    copy_to_chunk(ctx, most_chunk, s.ky + first, count);
    copy_to_chunk(ctx, 2 * most_chunk, s.kz + first, count);
  });
}

void run_structs(const Context& ctx, const ConstantVariant& variant, const Tuning& tuning,
                 const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  Array<float> positions(ctx, {s.samples, 3});
  gather_positions<<<blocks_for(s.samples, default_threads), default_threads, 0, stream_of(ctx)>>>(s, positions.data());
  check_launch("gather_positions");
  in_chunks(ctx, variant, tuning, s,
            [&](Index first, Index count) { copy_to_chunk(ctx, 0, positions.data() + 3 * first, 3 * count); });
}

template <int kVoxels, int kUnroll>
ConstantVariant variant_of() {
  if constexpr (kVoxels == 1) {
    return {unrolled<kUnroll>};
  } else {
    return {many_voxels<kVoxels, kUnroll>, kVoxels};
  }
}

/// Steps 8 and 10: so many voxels of a thread.
template <int kVoxels>
ConstantVariant unrolled_by(int unroll) {
  if (unroll == 2) return variant_of<kVoxels, 2>();
  if (unroll == 4) return variant_of<kVoxels, 4>();
  if (unroll == 8) return variant_of<kVoxels, 8>();
  if (unroll == 16) return variant_of<kVoxels, 16>();
  return variant_of<kVoxels, 1>();
}

/// Kernels that differ in how often they unroll, with structs in constant memory.
template <class Pick>
SizedKernel<float> sized(const std::vector<int>& how_often, const Pick& pick) {
  return {.run = [pick](const Context& ctx, const Tuning& tuning, const Problem<float>& problem,
                        ArrayRef<float> sums) { run_structs(ctx, pick(tuning.unroll), tuning, problem, sums); },
          .candidates = [how_often](const Context&) { return combinations(block_sizes(), chunks(), how_often); },
          .most_samples = most_chunk,
          .most_terms = trial_terms,
          .facts = [pick](const Context& ctx,
                          const Tuning& tuning) { return facts_of(ctx, pick(tuning.unroll).kernel, tuning.threads); }};
}

SizedKernel<float> sized(const ConstantVariant& variant) {
  return sized({0}, [variant](int /*unroll*/) { return variant; });
}

SizedKernel<float> sized_planes() {
  SizedKernel<float> planes = sized({constant_memory});
  planes.run = run_planes;
  return planes;
}

// Accesses for Mu; what is in constant memory comes from its cache. Several voxels share the reading.
constexpr double of_mu = 2;

template <int kVoxels>
Step<float> many_voxels_step(Tuner& tuner) {
  return tuned<float>(tuner, sized(unrolls(), unrolled_by<kVoxels>),
                      {.name = std::to_string(kVoxels) + " voxels a thread", .accesses = of_mu / kVoxels});
}

}  // namespace

Step<float> shared_step() {
  return {.name = "8 voxels a thread",
          .run = [](const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
            constexpr int threads = 128;
            run_structs(ctx, variant_of<8, 2>(), {threads, most_chunk, 2}, problem, sums);
          }};
}

std::vector<Step<float>> constant_steps(Tuner& tuner) {
  constexpr int by_four = 4;
  return {tuned<float>(tuner, sized_planes(), {.name = "constant memory", .accesses = of_mu}),
          tuned<float>(tuner, sized({structs}),
                       {.name = "array of structs", .published = {"fhd", "9.8 min"}, .accesses = of_mu}),
          tuned<float>(tuner, sized({hardware_functions}),
                       {.name = "hardware sin/cos", .published = {"fhd", "2.4 min"}, .accesses = of_mu}),
          tuned<float>(tuner, sized({by_four}, unrolled_by<1>), {.name = "unrolled by 4", .accesses = of_mu}),
          tuned<float>(tuner, sized(unrolls(), unrolled_by<1>),
                       {.name = tuned_kernel, .published = {"fhd", "1.5 min"}, .accesses = of_mu}),
          many_voxels_step<2>(tuner),
          many_voxels_step<4>(tuner),
          many_voxels_step<8>(tuner)};
}

}  // namespace whorl::studies::fhd::gpu
