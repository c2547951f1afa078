// Helpers for the launches of the steps.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "studies/fhd/gpu/fission.cuh"
#include "studies/fhd/steps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::fhd::gpu {

inline constexpr int default_threads = 256;

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

template <class Kernel>
std::function<KernelFacts(const Context&)> facts_function(Kernel* kernel, int threads = default_threads) {
  return [=](const Context& ctx) { return facts_of(ctx, kernel, threads); };
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
std::vector<Step<float>> global_steps();
std::vector<Step<float>> constant_steps(Tuner& tuner);
std::vector<Step<float>> separable_steps(const Context& ctx);
/// 8 voxels a thread.
Step<float> many_voxels_step();

}  // namespace whorl::studies::fhd::gpu
