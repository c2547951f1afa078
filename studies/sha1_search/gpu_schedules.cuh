// Later steps on a GPU: the schedule of a string from two that were made before, and a test four steps before the end.
#pragma once

#include "studies/sha1_search/gpu_kernels.cuh"

namespace whorl::studies::sha1_search {

// step: schedules joined; test after step 76
/// Rests whose schedules a block keeps in shared memory (10 KB) for all its threads.
inline constexpr int rests_of_a_block = 32;
inline constexpr int schedule_threads = 256;

/// One front a thread. The schedule is linear: the front's words stay in the thread's registers, those of a rest are
/// read by all threads at once, and their exclusive or is the string's. With `Steps` = 76 a string is tested after 76
/// steps, and only if that word is right the other steps follow.
template <int Steps>
__global__ void __launch_bounds__(schedule_threads) joined_schedules_kernel(GpuSearch search) {
  __shared__ __align__(16) Word rests[rests_of_a_block][hash_steps];
  const Index first = search.first + blockIdx.y * Index{rests_of_a_block};
  const int here = static_cast<int>(min(Index{rests_of_a_block}, search.last - first));
  if (threadIdx.x < here) {
    Block block = rest_block(search, first + threadIdx.x);
#pragma unroll
    for (int t = 0; t < hash_steps; ++t) rests[threadIdx.x][t] = scheduled<ByFunnel>(block, t);
  }
  __syncthreads();
  const Index front = blockIdx.x * Index{schedule_threads} + threadIdx.x;
  if (front >= search.fronts) return;
  Word mine[hash_steps];
  Block block{front_word(search, static_cast<int>(front))};
#pragma unroll
  for (int t = 0; t < hash_steps; ++t) mine[t] = scheduled<ByFunnel>(block, t);
  const Word decides = deciding_word(search.digest);
#pragma unroll 1
  for (int i = 0; i < here; ++i) {
    // Four words at a time: a fourth of the reads.
    uint4 four{};
    const auto word = [&](int t) {
      if (t % 4 == 0) four = *reinterpret_cast<const uint4*>(&rests[i][t]);
      const Word theirs[4] = {four.x, four.y, four.z, four.w};
      return mine[t] ^ theirs[t % 4];
    };
    // One string in 2^32 goes beyond the test by chance.
    if (Steps == deciding_step && run_steps<ByFunnel, deciding_step>(word).a != decides) continue;
    if (run_steps<ByFunnel, hash_steps>(word).is(search.digest)) *search.found = front + search.fronts * (first + i);
  }
  atomicAdd(search.tried, here);
}
// end of step

}  // namespace whorl::studies::sha1_search
