// The steps of the ladder on a GPU: how the kernels are launched.
#include <algorithm>

#include "backend/cuda/runtime.hpp"
#include "studies/mri_q/gpu/from_global_memory.cuh"
#include "studies/mri_q/gpu/global_memory.cuh"
#include "studies/mri_q/gpu/hardware_functions.cuh"
#include "studies/mri_q/gpu/registers.cuh"
#include "studies/mri_q/gpu/several_samples.cuh"
#include "studies/mri_q/gpu/several_voxels.cuh"
#include "studies/mri_q/gpu/shared_memory.cuh"
#include "studies/mri_q/steps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::mri_q {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

constexpr int usual_threads = 256;
constexpr double most_terms = 1e11;  // of a step: a second or so

unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

/// The samples as the kernels read them.
class Prepared {
 public:
  Prepared(const Context& ctx, const Problem& problem, ArrayRef<float> q)
      : memory_(ctx, {problem.samples(), sizeof(Sample) / sizeof(float)}) {
    const Pointers in = pointers_of(problem);
    auto* const samples = reinterpret_cast<Sample*>(memory_.data());
    const auto count = static_cast<int>(in.samples);
    phi_magnitudes<<<blocks_for(count, usual_threads), usual_threads, 0, stream_of(ctx)>>>(
        in.kx, reinterpret_cast<const float2*>(in.phi), count, samples);
    check_launch("phi_magnitudes");
    sums_ = {samples, count, in.x, in.y, in.z, q.data(), q.data() + in.voxels, in.voxels};
  }
  const GpuSums& sums() const { return sums_; }

 private:
  Array<float> memory_;
  GpuSums sums_{};
};

/// Kernels that read the samples from global memory, all of them in one launch.
std::function<void(const Context&, const Problem&, ArrayRef<float>)> in_one(void (*kernel)(GpuSums),
                                                                            int shared_floats_each = 0) {
  return [=](const Context& ctx, const Problem& problem, ArrayRef<float> q) {
    const Prepared prepared(ctx, problem, q);
    const std::size_t shared = usual_threads * static_cast<std::size_t>(shared_floats_each) * sizeof(float);
    kernel<<<blocks_for(problem.voxels(), usual_threads), usual_threads, shared, stream_of(ctx)>>>(prepared.sums());
    check_launch("Q from global memory");
  };
}

/// Kernels of a tile of samples in constant memory, and of several voxels per thread.
void by_tiles(const Context& ctx, const Problem& problem, ArrayRef<float> q, void (*kernel)(GpuSums, int), int threads,
              Index voxels_each) {
  const cudaStream_t stream = stream_of(ctx);
  const Prepared prepared(ctx, problem, q);
  const GpuSums& sums = prepared.sums();
  fill<float>(ctx, q, 0);
  for (int first = 0; first < sums.sample_count; first += tile_samples) {
    const int here = std::min(tile_samples, sums.sample_count - first);
    // In the stream's order: a tile is replaced when the kernel that reads it is done.
    backend::cuda::check(
        cudaMemcpyToSymbolAsync(tile, sums.samples + first, static_cast<std::size_t>(here) * sizeof(Sample), 0,
                                cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyToSymbolAsync");
    kernel<<<blocks_for(sums.voxels, threads * voxels_each), static_cast<unsigned>(threads), 0, stream>>>(sums, here);
    check_launch("Q from constant memory");
  }
}

std::function<void(const Context&, const Problem&, ArrayRef<float>)> in_tiles(void (*kernel)(GpuSums, int), int threads,
                                                                              Index voxels_each = 1) {
  return [=](const Context& ctx, const Problem& problem, ArrayRef<float> q) {
    by_tiles(ctx, problem, q, kernel, threads, voxels_each);
  };
}

}  // namespace

std::vector<QStep> gpu_steps(int threads) {
  return {
      {"global memory", in_one(global_memory_q), {}, most_terms},
      {"shared memory", in_one(shared_memory_q, shared_floats), {"mri_q", "92 s less at 128^3"}, most_terms},
      {"registers", in_one(registers_q), {"mri_q", "nearly as shared memory"}, most_terms},
      {"constant memory",
       in_tiles(constant_memory_q, usual_threads),
       {"mri_q", "slower than global memory"},
       most_terms},
      {"two samples an iteration", in_tiles(several_samples_q<2>, usual_threads), {"mri_q", "faster"}, most_terms},
      {"four samples an iteration",
       in_tiles(several_samples_q<4>, usual_threads),
       {"mri_q", "35 s less than two at 128^3"},
       most_terms},
      {"four, from global memory",
       in_one(from_global_memory_q<4>),
       {"mri_q", "faster than from constant memory"},
       most_terms},
      {"eight samples an iteration", in_tiles(several_samples_q<8>, usual_threads), {"mri_q", "not tried"}, most_terms},
      {"eight, from global memory", in_one(from_global_memory_q<8>), {"mri_q", "not tried"}, most_terms},
      {"hardware sine and cosine", in_tiles(hardware_functions_q, usual_threads), {}, most_terms},
      {"threads of a block tuned", in_tiles(hardware_functions_q, threads), {}, most_terms},
      {"four voxels a thread", in_tiles(several_voxels_q<4>, usual_threads, 4), {}, most_terms},
      {"eight voxels a thread", in_tiles(several_voxels_q<8>, usual_threads, 8), {}, most_terms},
  };
}

Tuning gpu_tuning() {
  return {"threads of a block",
          {32, 64, 128, 256, 512, 1024},
          [](const Context& ctx, const Problem& problem, ArrayRef<float> q, int threads) {
            by_tiles(ctx, problem, q, hardware_functions_q, threads, 1);
          },
          most_terms};
}

}  // namespace whorl::studies::mri_q
