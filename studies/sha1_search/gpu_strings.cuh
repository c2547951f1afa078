// First steps on a GPU: what a string costs when nothing is shared between strings, and when the rests' letters are.
#pragma once

#include "studies/sha1_search/gpu_kernels.cuh"

namespace whorl::studies::sha1_search {

// step: GPU, one string a thread
/// One string a thread, its hash as the standard writes it.
inline __global__ void one_by_one_kernel(GpuSearch search) {
  const Index string = search.first * search.fronts + blockIdx.x * Index{blockDim.x} + threadIdx.x;
  const bool inside = string < search.last * search.fronts;
  if (inside && has_digest(block_at(search, string), search.digest)) *search.found = string;
  const int tried = __syncthreads_count(inside);
  if (threadIdx.x == 0) atomicAdd(search.tried, tried);
}
// end of step

// step: 16 words, unrolled
/// One string a thread, with the schedule in 16 registers and the steps unrolled: no array in (slow) local memory, no tests.
template <class Rotate>
__global__ void sixteen_words_kernel(GpuSearch search) {
  const Index string = search.first * search.fronts + blockIdx.x * Index{blockDim.x} + threadIdx.x;
  const bool inside = string < search.last * search.fronts;
  if (inside) {
    Block block = block_at(search, string);
    const auto state = run_steps<Rotate, hash_steps>([&](int t) { return scheduled<Rotate>(block, t); });
    if (state.is(search.digest)) *search.found = string;
  }
  const int tried = __syncthreads_count(inside);
  if (threadIdx.x == 0) atomicAdd(search.tried, tried);
}
// end of step

// step: letters counted, not divided
/// Fronts that a thread tries with its rest, and threads of a block: each looks up the letters of one front.
inline constexpr int fronts_of_a_thread = 256;

/// One rest a thread: its block is made once, by division, and the fronts, which all threads of a warp read at once,
/// are put into it one after the other.
inline __global__ void __launch_bounds__(fronts_of_a_thread) counted_letters_kernel(GpuSearch search) {
  __shared__ Word fronts[fronts_of_a_thread];
  const Index from = blockIdx.y * Index{fronts_of_a_thread};
  const int here = static_cast<int>(min(Index{fronts_of_a_thread}, search.fronts - from));
  if (threadIdx.x < here) fronts[threadIdx.x] = front_word(search, static_cast<int>(from + threadIdx.x));
  __syncthreads();
  const Index rest = search.first + blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (rest >= search.last) return;
  const Block without_front = rest_block(search, rest);
#pragma unroll 1
  for (int i = 0; i < here; ++i) {
    Block block = without_front;
    block[0] |= fronts[i];
    const auto state = run_steps<ByFunnel, hash_steps>([&](int t) { return scheduled<ByFunnel>(block, t); });
    if (state.is(search.digest)) *search.found = from + i + search.fronts * rest;
  }
  atomicAdd(search.tried, here);
}
// end of step

}  // namespace whorl::studies::sha1_search
