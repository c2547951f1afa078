// Steps 5 to 10, with samples in constant memory.
#include <algorithm>
#include <memory>

#include "bench/timing.hpp"
#include "studies/fhd/gpu/hardware_functions.cuh"
#include "studies/fhd/gpu/launch.cuh"
#include "studies/fhd/gpu/many_voxels.cuh"
#include "studies/fhd/gpu/unrolled.cuh"

namespace whorl::studies::fhd::gpu {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

/// A kernel that adds the samples in constant memory, and its launch sizes.
struct Variant {
  void (*kernel)(Sums<float> s, Mu mu, int samples);
  int threads = default_threads;
  int chunk = most_chunk;
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
void in_chunks(const Context& ctx, const Variant& variant, const Sums<float>& s, const Load& load) {
  const Array<float> mu = mu_of(ctx, s);
  for (Index first = 0; first < s.samples; first += variant.chunk) {
    const Index count = std::min<Index>(variant.chunk, s.samples - first);
    load(first, count);
    variant
        .kernel<<<blocks_for(s.voxels, Index{variant.threads} * variant.voxels), variant.threads, 0, stream_of(ctx)>>>(
            s, mu_from(mu, first), static_cast<int>(count));
    check_launch("a kernel of constant memory");
  }
}

void run_planes(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  in_chunks(ctx, {constant_memory}, s, [&](Index first, Index count) {
    copy_to_chunk(ctx, 0, s.kx + first, count);
    copy_to_chunk(ctx, most_chunk, s.ky + first, count);
    copy_to_chunk(ctx, 2 * most_chunk, s.kz + first, count);
  });
}

void run_structs(const Context& ctx, const Variant& variant, const Problem<float>& problem, ArrayRef<float> sums) {
  const Sums<float> s = sums_of(problem, sums);
  fill<float>(ctx, sums, 0);
  Array<float> positions(ctx, {s.samples, 3});
  gather_positions<<<blocks_for(s.samples, default_threads), default_threads, 0, stream_of(ctx)>>>(s, positions.data());
  check_launch("gather_positions");
  in_chunks(ctx, variant, s,
            [&](Index first, Index count) { copy_to_chunk(ctx, 0, positions.data() + 3 * first, 3 * count); });
}

Variant unrolled_by(int unroll) {
  if (unroll == 2) return {unrolled<2>};
  if (unroll == 4) return {unrolled<4>};
  if (unroll == 8) return {unrolled<8>};
  if (unroll == 16) return {unrolled<16>};
  return {unrolled<1>};
}

/// The kernel of step 8 with the sizes that are fastest on a part of the scan.
class TunedKernel {
 public:
  explicit TunedKernel(Tuner& tuner) : tuner_(tuner) {}

  void choose(const Context& ctx, const Problem<float>& problem) {
    // Enough voxels to keep a large GPU busy, and the samples of the largest chunk.
    constexpr Index most_voxels = Index{1} << 18;
    const Problem<float> part{problem.image, first_of(ctx, problem.samples, most_chunk),
                              first_of(ctx, problem.voxels, most_voxels)};
    Array<float> sums(ctx, {2, part.voxels.extent(1)});
    // Step 4 of the chapter names these numbers of threads, and these of samples but 512.
    best_ = tuner_.choose(
        ctx, combinations({32, 64, 128, 256, 512}, {32, 64, 128, 256, 512, 1024, 2048, most_chunk}, {1, 2, 4, 8, 16}),
        [&](const Tuning& tuning) {
          const auto work = [&] { run_structs(ctx, variant_of(tuning), part, sums); };
          return bench::time_work(ctx, bench::Effort::brief, work).median_ms;
        });
  }

  void run(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
    if (best_ == Tuning()) choose(ctx, problem);
    run_structs(ctx, variant_of(best_), problem, sums);
  }

  KernelFacts facts(const Context& ctx) const { return facts_of(ctx, variant_of(best_).kernel, best_.threads); }

 private:
  static Variant variant_of(const Tuning& tuning) {
    Variant variant = unrolled_by(tuning.unroll);
    variant.threads = tuning.threads;
    variant.chunk = tuning.chunk;
    return variant;
  }

  /// The beginnings of planes.
  static Array<float> first_of(const Context& ctx, const Array<float>& planes, Index most) {
    const Index count = std::min(most, planes.extent(1));
    Array<float> part(ctx, {planes.extent(0), count});
    for (Index i = 0; i < planes.extent(0); ++i) {
      const ArrayRef<const float> from(planes.data() + i * planes.extent(1), {count}, planes.device());
      copy<float>(ctx, from, part.slice(i));
    }
    return part;
  }

  Tuner& tuner_;
  Tuning best_{};
};

auto with(const Variant& variant) {
  return [variant](const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
    run_structs(ctx, variant, problem, sums);
  };
}

// Accesses for Mu; what is in constant memory comes from its cache. Several voxels share the reading.
constexpr double of_mu = 2;

}  // namespace

Step<float> many_voxels_step() {
  constexpr int threads = 128;
  return {.name = "8 voxels a thread",
          .run = with({many_voxels, threads, most_chunk, voxels_of_thread}),
          .accesses = of_mu / voxels_of_thread,
          .facts = facts_function(many_voxels, threads)};
}

std::vector<Step<float>> constant_steps(Tuner& tuner) {
  const auto tuned = std::make_shared<TunedKernel>(tuner);
  const auto run = [tuned](const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
    tuned->run(ctx, problem, sums);
  };
  const auto choose = [tuned](const Context& ctx, const Problem<float>& problem) { tuned->choose(ctx, problem); };
  const auto facts = [tuned](const Context& ctx) { return tuned->facts(ctx); };
  const auto step = [](const std::string& name, const Variant& variant, const std::string& published = {}) {
    return Step<float>{.name = name,
                       .run = with(variant),
                       .published = published,
                       .accesses = of_mu / variant.voxels,
                       .facts = facts_function(variant.kernel, variant.threads)};
  };
  return {{.name = "constant memory", .run = run_planes, .accesses = of_mu, .facts = facts_function(constant_memory)},
          step("array of structs", {structs}, "9.8 min"),
          step("hardware sin/cos", {hardware_functions}, "2.4 min"),
          step("unrolled by 4", unrolled_by(4)),
          {.name = "sizes tuned together",
           .run = run,
           .published = "1.5 min",
           .choose = choose,
           .accesses = of_mu,
           .facts = facts},
          many_voxels_step()};
}

}  // namespace whorl::studies::fhd::gpu
