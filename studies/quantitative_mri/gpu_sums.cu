// The steps of the ladder on a GPU: what runs the kernels, and chooses the last one's sizes.
#include <algorithm>
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
  int threads;
  int voxels;
  int unroll;
};

template <class Functions, int Voxels, int Unroll>
Variant variant(int threads) {
  return {constant_memory_sums<Functions, Voxels, Unroll>, threads, Voxels, Unroll};
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
  for (Index from = 0; from < count; from += chunk_samples) {
    const Index here = std::min<Index>(chunk_samples, count - from);
    // In the stream's order: a chunk is replaced when the kernel that reads it is done.
    backend::cuda::check(cudaMemcpyToSymbolAsync(chunk, samples + from, static_cast<std::size_t>(here) * sizeof(Sample),
                                                 0, cudaMemcpyDeviceToDevice, stream),
                         "cudaMemcpyToSymbolAsync");
    variant.kernel<<<blocks_for(part.size(), Index{variant.threads} * variant.voxels), variant.threads, 0, stream>>>(
        static_cast<int>(here), static_cast<int>(sums.extent), sums.first, part.size(), as_float2(part.data()));
    check_launch("constant_memory_sums");
  }
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const int threads : {64, 128, 256}) {
    all.push_back(variant<HardwareFunctions, 1, 4>(threads));
    all.push_back(variant<HardwareFunctions, 2, 4>(threads));
    all.push_back(variant<HardwareFunctions, 4, 2>(threads));
    all.push_back(variant<HardwareFunctions, 4, 4>(threads));
    all.push_back(variant<HardwareFunctions, 8, 2>(threads));
  }
  return all;
}

/// Tries every variant on a part of sums, and keeps the fastest.
class Tuned {
 public:
  void choose(const Context& ctx, const Sums<float>& sums) {
    constexpr Index trial_voxels = Index{1} << 20;
    Array<Complex> some(ctx, {std::min(sums.extent * sums.extent * sums.extent, trial_voxels)});
    double least = std::numeric_limits<double>::infinity();
    for (const Variant& variant : variants()) {
      const auto run = [&] { constant_memory(ctx, variant, sums, some); };
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
    return std::to_string(best_.threads) + " threads, " + std::to_string(best_.voxels) + " voxels each, unrolled by " +
           std::to_string(best_.unroll);
  }

 private:
  Variant best_{};
};

SumStep<float> step(const std::string& name, const Variant& with, const Published& published) {
  return {name,
          [with](const Context& ctx, const Sums<float>& sums, ArrayRef<Complex> part) {
            constant_memory(ctx, with, sums, part);
          },
          published};
}

}  // namespace

std::vector<SumStep<float>> gpu_steps() {
  const auto tuned = std::make_shared<Tuned>();
  return {
      {"GPU, global memory", global_memory, {{}, 260.2, 41.0, 42.7}},
      step("GPU, constant memory", variant<LibraryFunctions, 1, 1>(256), {27.6, 72.0, 9.8, 11.4}),
      step("GPU, constant memory, hardware sin/cos", variant<HardwareFunctions, 1, 1>(256), {27.5, 13.6, 2.4, 4.0}),
      {"GPU, the same, tuned",
       [tuned](const Context& ctx, const Sums<float>& sums, ArrayRef<Complex> part) { tuned->run(ctx, sums, part); },
       {{}, 7.5, 1.5, 3.2},
       [tuned](const Context& ctx, const Sums<float>& sums) { tuned->choose(ctx, sums); },
       [tuned] { return tuned->choice(); }},
  };
}

}  // namespace whorl::studies::quantitative_mri
