// One warp follows a chain of addresses, each read waiting for the one before: the time of a read, without that of any
// arithmetic beside it. Constant memory answers one address at a time; shared memory has 32 banks.
#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/alone/reads.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

constexpr int warp = 32;

__constant__ int constant_chain[chain_length];

struct FromConstantMemory {
  static __device__ int next(const int* /*chain*/, const int* /*copy*/, int at) { return constant_chain[at]; }
};
struct FromSharedMemory {
  static __device__ int next(const int* /*chain*/, const int* copy, int at) { return copy[at]; }
};
struct FromGlobalMemory {
  static __device__ int next(const int* chain, const int* /*copy*/, int at) { return chain[at]; }
};

/// starts [warp]; ends [warp]; the cycles of all reads of the warp.
template <class Memory>
__global__ void follow(const int* chain, const int* starts, int* ends, long long* cycles) {
  __shared__ int copy[chain_length];
  for (int i = static_cast<int>(threadIdx.x); i < chain_length; i += warp) copy[i] = chain[i];
  __syncthreads();
  int at = starts[threadIdx.x];
  // Once around without the clock: the caches have the chain then.
#pragma unroll 1
  for (int i = 0; i < chain_length; ++i) at = Memory::next(chain, copy, at);
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < chain_reads; ++i) at = Memory::next(chain, copy, at);
  // The last read must have ended before the clock is read.
  ends[threadIdx.x] = at;
  __threadfence();
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - start;
}

template <class T>
Array<int> on_gpu(const Context& ctx, const T& values) {
  return clone(ctx, ArrayRef<const int>(values.data(), {static_cast<Index>(values.size())}));
}

struct Walk {
  double cycles;
  int wrong;
};

template <class Memory>
Walk walk(const Context& ctx, const std::vector<int>& chain, const std::vector<int>& starts) {
  const Array<int> there = on_gpu(ctx, chain);
  const Array<int> from = on_gpu(ctx, starts);
  Array<int> ends(ctx, {warp});
  Array<std::int64_t> cycles(ctx, {1});
  follow<Memory><<<1, warp, 0, stream_of(ctx)>>>(there.data(), from.data(), ends.data(),
                                                 reinterpret_cast<long long*>(cycles.data()));
  check_launch("follow");
  const Array<int> here = to_host(ctx, ends.ref());
  int wrong = 0;
  for (int i = 0; i < warp; ++i) {
    int at = starts[static_cast<std::size_t>(i)];
    for (int j = 0; j < chain_length + chain_reads; ++j) at = chain[static_cast<std::size_t>(at)];
    if (here.data()[i] != at) ++wrong;
  }
  return {static_cast<double>(to_host(ctx, cycles.ref()).data()[0]) / chain_reads, wrong};
}

template <class Memory>
ReadTimes times_of(const Context& ctx, const std::string& memory, const std::vector<int>& chain) {
  // Places along the cycle are random addresses, and stay so as all threads move on.
  std::vector<int> starts;
  int at = 0;
  for (int i = 0; i < warp; ++i) {
    starts.push_back(at);
    for (int j = 0; j < chain_length / warp; ++j) at = chain[static_cast<std::size_t>(at)];
  }
  const Walk one = walk<Memory>(ctx, chain, std::vector<int>(warp, 0));
  const Walk many = walk<Memory>(ctx, chain, starts);
  return {memory, one.cycles, many.cycles, one.wrong + many.wrong};
}

}  // namespace

std::vector<ReadTimes> read_times_on_gpu(const Context& ctx) {
  const std::vector<int> chain = random_cycle();
  check(cudaMemcpyToSymbolAsync(constant_chain, chain.data(), sizeof(constant_chain), 0, cudaMemcpyHostToDevice,
                                stream_of(ctx)),
        "cudaMemcpyToSymbolAsync");
  ctx.synchronize();
  return {times_of<FromConstantMemory>(ctx, "constant memory", chain),
          times_of<FromSharedMemory>(ctx, "shared memory", chain),
          times_of<FromGlobalMemory>(ctx, "global memory, cached", chain)};
}

}  // namespace whorl::studies::gridding_2d
