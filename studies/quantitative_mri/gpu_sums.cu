// The steps of the ladder on a GPU: what runs the kernels, and chooses the last one's sizes.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <memory>

#include "backend/cuda/runtime.hpp"
#include "studies/quantitative_mri/exact_sums.hpp"
#include "studies/quantitative_mri/gpu_kernels.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using Complex = std::complex<float>;

unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

float2* as_float2(Complex* values) { return reinterpret_cast<float2*>(values); }
const float2* as_float2(const Complex* values) { return reinterpret_cast<const float2*>(values); }

void global_memory(const Context& ctx, const Sums<float>& sums, ArrayRef<Complex> part) {
  constexpr int threads = 256;
  const GlobalSums job{.points = sums.points.data(),
                       .data = as_float2(sums.data.data()),
                       .samples = static_cast<int>(sums.data.size()),
                       .extent = static_cast<int>(sums.extent),
                       .first = sums.first,
                       .count = part.size(),
                       .part = as_float2(part.data())};
  global_memory_sums<<<blocks_for(part.size(), threads), threads, 0, stream_of(ctx)>>>(job);
  check_launch("global_memory_sums");
}

/// A kernel of constant memory with the sizes that it is launched with.
struct Variant {
  void (*kernel)(int samples, int extent, Index first, Index count, float2* part);
  int voxels;
  int unroll;
  int threads = 256;
  Index chunk = chunk_samples;  ///< samples in constant memory at a time
};

template <class Functions, int Voxels, int Unroll>
Variant variant() {
  return {constant_memory_sums<Functions, Voxels, Unroll>, Voxels, Unroll};
}

/// Each kernel with each number of threads and of samples in constant memory: kernels that are compared get one search.
std::vector<Variant> with_sizes(std::initializer_list<int> threads, std::initializer_list<Variant> kernels) {
  std::vector<Variant> all;
  for (const int number : threads) {
    for (const Index samples : {64, 128, 256, 512, 1024, 2048}) {
      for (Variant kernel : kernels) {
        kernel.threads = number;
        kernel.chunk = samples;
        all.push_back(kernel);
      }
    }
  }
  return all;
}

void constant_memory(const Context& ctx, const Variant& variant, const Sums<float>& sums, ArrayRef<Complex> part) {
  const cudaStream_t stream = stream_of(ctx);
  const Index count = sums.data.size();
  constexpr Index floats = sizeof(Sample) / sizeof(float);
  Array<float> memory(ctx, {count, floats});
  auto* const samples = reinterpret_cast<Sample*>(memory.data());
  constexpr int threads = 256;
  gather_samples<<<blocks_for(count, threads), threads, 0, stream>>>(sums.points.data(), as_float2(sums.data.data()),
                                                                     static_cast<int>(count), samples);
  check_launch("gather_samples");
  fill<Complex>(ctx, part, 0);
  for (Index from = 0; from < count; from += variant.chunk) {
    const Index here = std::min<Index>(variant.chunk, count - from);
    // In the stream's order: a chunk is replaced when the kernel that reads it is done.
    backend::cuda::check(cudaMemcpyToSymbolAsync(chunk, samples + from, static_cast<std::size_t>(here) * sizeof(Sample),
                                                 0, cudaMemcpyDeviceToDevice, stream),
                         "cudaMemcpyToSymbolAsync");
    variant.kernel<<<blocks_for(part.size(), Index{variant.threads} * variant.voxels), variant.threads, 0, stream>>>(
        static_cast<int>(here), static_cast<int>(sums.extent), sums.first, part.size(), as_float2(part.data()));
    check_launch("constant_memory_sums");
  }
}

// step: least squares, GPU, the same, sizes tuned
/// Step 4 of the chapter: threads, samples of a chunk and unrolling, one voxel a thread.
std::vector<Variant> chapter_variants() {
  return with_sizes({64, 128, 256, 512}, {variant<HardwareFunctions, 1, 1>(), variant<HardwareFunctions, 1, 2>(),
                                          variant<HardwareFunctions, 1, 4>(), variant<HardwareFunctions, 1, 8>(),
                                          variant<HardwareFunctions, 1, 16>()});
}
// end of step

// step: least squares, GPU, several voxels a thread, tuned
/// Beyond the chapter: several voxels share the reading of a sample. As many variants as of one voxel a thread.
std::vector<Variant> voxel_variants() {
  return with_sizes({64, 128, 256, 512}, {variant<HardwareFunctions, 2, 4>(), variant<HardwareFunctions, 2, 8>(),
                                          variant<HardwareFunctions, 4, 2>(), variant<HardwareFunctions, 4, 4>(),
                                          variant<HardwareFunctions, 8, 2>()});
}
// end of step

// step: least squares, GPU, the same, sizes tuned; least squares, GPU, several voxels a thread, tuned
/// Tries every variant on a part of sums, and keeps the fastest.
class Tuned {
 public:
  explicit Tuned(std::vector<Variant> variants) : variants_(std::move(variants)) {}

  void choose(const Context& ctx, const Sums<float>& sums) {
    // Enough voxels to keep a large GPU busy, and the samples of four of the largest chunks.
    constexpr Index trial_voxels = Index{1} << 18;
    const Index all = sums.data.size();
    const Index count = std::min<Index>(all, 4 * chunk_samples);
    Array<float> points(ctx, {3, count});
    for (Index axis = 0; axis < 3; ++axis) {
      const ArrayRef<const float> from(sums.points.data() + axis * all, {count}, sums.points.device());
      copy<float>(ctx, from, points.slice(axis));
    }
    const ArrayRef<const Complex> data(sums.data.data(), {count}, sums.data.device());
    const Sums<float> few{points, data, sums.extent};
    Array<Complex> some(ctx, {std::min(sums.extent * sums.extent * sums.extent, trial_voxels)});
    double least = std::numeric_limits<double>::infinity();
    for (const Variant& variant : variants_) {
      const auto run = [&] { constant_memory(ctx, variant, few, some); };
      run();  // the first launch of a kernel loads it
      const double seconds = seconds_of(ctx, run);
      if (seconds < least) best_ = variant;
      least = std::min(least, seconds);
    }
  }
  void run(const Context& ctx, const Sums<float>& sums, ArrayRef<Complex> part) {
    if (best_.kernel == nullptr) choose(ctx, sums);
    constant_memory(ctx, best_, sums, part);
  }
  std::string choice() const {
    return std::to_string(best_.threads) + " threads, voxels of each: " + std::to_string(best_.voxels) +
           ", unrolled by " + std::to_string(best_.unroll) + ", chunks of " + std::to_string(best_.chunk);
  }

 private:
  std::vector<Variant> variants_;
  Variant best_{};
};
// end of step

SumStep<float> tuned_step(const std::string& name, std::vector<Variant> variants, const Published& published) {
  const auto tuned = std::make_shared<Tuned>(std::move(variants));
  return {.name = name,
          .run = [tuned](const Context& ctx, const Sums<float>& sums,
                         ArrayRef<Complex> part) { tuned->run(ctx, sums, part); },
          .published = published,
          .choose = [tuned](const Context& ctx, const Sums<float>& sums) { tuned->choose(ctx, sums); },
          .remark = [tuned] { return tuned->choice(); }};
}

}  // namespace

std::vector<SumStep<float>> gpu_steps() {
  return {
      {.name = "GPU, global memory", .run = global_memory, .published = published_row("260.2 5.1 41.0 5.4 1.65 42.65")},
      tuned_step("GPU, constant memory", with_sizes({256}, {variant<LibraryFunctions, 1, 1>()}),
                 published_row("72.0 18.6 9.8 22.8 1.57 11.37", published_psnr)),
      tuned_step("GPU, constant memory, hardware sin/cos", with_sizes({256}, {variant<HardwareFunctions, 1, 1>()}),
                 published_row("13.6 98.2 2.4 92.2 1.60 4.00", cited_number("quantitative_mri", "27.5"))),
      tuned_step("GPU, the same, sizes tuned", chapter_variants(), published_row("7.5 178.9 1.5 144.5 1.69 3.19")),
      tuned_step("GPU, several voxels a thread, tuned", voxel_variants(), {}),
  };
}

}  // namespace whorl::studies::quantitative_mri
