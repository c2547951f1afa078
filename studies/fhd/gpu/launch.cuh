// Helpers for the launches of the steps.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "studies/fhd/gpu/fission.cuh"
#include "studies/fhd/sized.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::fhd::gpu {

inline constexpr int default_threads = 256;
/// The most samples whose positions fit into constant memory: 48 KB.
inline constexpr int most_chunk = 4096;

/// The sizes that step 4 of the chapter names, and chunks of 512: the same for all kernels.
inline std::vector<int> block_sizes() { return {32, 64, 128, 256, 512}; }
inline std::vector<int> chunks() { return {32, 64, 128, 256, 512, 1024, 2048, most_chunk}; }
inline std::vector<int> unrolls() { return {1, 2, 4, 8, 16}; }
/// Terms of a trial: with the samples of the largest chunk, enough voxels to keep a large GPU busy.
inline constexpr Index trial_terms = Index{most_chunk} << 18;

inline unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

/// Launch of a kernel with so many threads a block, and no dynamic shared memory.
template <class Kernel>
KernelFacts facts_of(const Context& ctx, Kernel* kernel, int threads) {
  backend::cuda::stream_of(ctx);  // its device is the current one then
  cudaFuncAttributes attributes{};
  backend::cuda::check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  int blocks = 0;
  backend::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
                       "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const double resident = static_cast<double>(blocks) * threads;
  return {static_cast<double>(attributes.numRegs),
          resident / backend::cuda::properties_of(ctx).maxThreadsPerMultiProcessor};
}

/// Computes Mu, real and imaginary parts [2, sample].
inline Array<float> mu_of(const Context& ctx, const Sums<float>& s) {
  Array<float> mu(ctx, {2, s.samples});
  compute_mu<<<blocks_for(s.samples, default_threads), default_threads, 0, backend::cuda::stream_of(ctx)>>>(
      s, mu.data(), mu.data() + s.samples);
  backend::cuda::check_launch("compute_mu");
  return mu;
}

inline Mu mu_from(const Array<float>& mu, Index first = 0) {
  return {mu.data() + first, mu.data() + mu.extent(1) + first};
}

/// The steps, by where their samples lie: in global memory, in constant memory, in tables of an axis.
std::vector<Step<float>> global_steps(Tuner& tuner);
std::vector<Step<float>> constant_steps(Tuner& tuner);
std::vector<Step<float>> separable_steps(const Context& ctx);
/// 8 voxels a thread, with sizes that are not searched.
Step<float> shared_step();

}  // namespace whorl::studies::fhd::gpu
