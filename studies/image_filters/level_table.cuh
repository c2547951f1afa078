// Levels of three channels by a table, four pixels a thread.
#pragma once

#include "studies/image_filters/gpu_launch.cuh"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

/// The table lies in shared memory. Four pixels of three bytes are three words: loads and stores of whole words, one
/// beside the other.
static __global__ void map_levels(const Byte* from, Byte* to, Index bytes, const Byte* table) {
  __shared__ Byte level[3 * 256];
  for (unsigned i = threadIdx.x; i < sizeof(level); i += blockDim.x) level[i] = table[i];
  __syncthreads();
  constexpr Index group = 12;
  const Index first = group * (blockIdx.x * Index{blockDim.x} + threadIdx.x);
  if (first + group > bytes) {
    for (Index i = first; i < bytes; ++i) to[i] = level[i % 3 * 256 + from[i]];
    return;
  }
  const auto* const words = reinterpret_cast<const unsigned*>(from + first);
  auto* const results = reinterpret_cast<unsigned*>(to + first);
  for (unsigned w = 0; w < 3; ++w) {
    const unsigned word = words[w];
    unsigned result = 0;
    for (unsigned b = 0; b < 4; ++b) {
      const unsigned v = word >> 8 * b & 0xff;
      result |= static_cast<unsigned>(level[(4 * w + b) % 3 * 256 + v]) << 8 * b;
    }
    results[w] = result;
  }
}

/// `table` [3, 256]: the new values of the levels of red, green, blue.
inline void apply_table(const Context& ctx, const Job& job, const Array<Byte>& table) {
  constexpr unsigned threads = 256;
  constexpr Index bytes_of_block = 12 * threads;
  const Index bytes = 3 * pixels_of(job);
  map_levels<<<blocks_for(bytes, bytes_of_block), threads, 0, stream_of(ctx)>>>(job.from, job.to, bytes, table.data());
  check_launch("map_levels");
}

}  // namespace whorl::studies::image_filters
