#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/channels.hpp"
#include "filter/src/cuda/points/points.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int levels = 256;
constexpr int lanes = 32;
// A multiple of three, so that a thread begins at the same channel of RGB in every round.
constexpr int table_threads = 384;
constexpr int vector_bytes = 16;

// Every lane has its own tables in the bank with its number, so that no two lanes wait for each other: word w of table
// c is at (c * 64 + w) * 32 + lane.
template <int channels>
__global__ void __launch_bounds__(table_threads)
    byte_tables_kernel(const std::uint8_t* __restrict__ tables, Index bytes, const std::uint8_t* __restrict__ from,
                       std::uint8_t* __restrict__ to) {
  constexpr int table_words = levels / 4;
  __shared__ unsigned words[channels * table_words * lanes];
  for (int i = threadIdx.x; i < channels * table_words * lanes; i += table_threads) {
    words[i] = __ldg(reinterpret_cast<const unsigned*>(tables) + i / lanes);
  }
  __syncthreads();

  const auto* entries = reinterpret_cast<const std::uint8_t*>(words);
  const Index first = blockIdx.x * Index{table_threads} + threadIdx.x;
  const Index stride = Index{gridDim.x} * table_threads;
  const Index vectors = bytes / vector_bytes;
  // The channel of byte k of a vector is (phase + k) % channels.
  const auto phase = static_cast<unsigned>(first * vector_bytes % channels);
  unsigned place[channels];
#pragma unroll
  for (unsigned k = 0; k < channels; ++k) {
    place[k] = ((phase + k) % channels) * (table_words * lanes * 4) + (threadIdx.x % lanes) * 4;
  }
  const auto found = [&](unsigned word, int byte, int k) {
    const unsigned v = (word >> (8 * byte)) & 0xffU;
    return static_cast<unsigned>(entries[place[k % channels] + ((v & 0xfcU) << 5) + (v & 3U)]) << (8 * byte);
  };
  for (Index i = first; i < vectors; i += stride) {
    const uint4 in = __ldcs(reinterpret_cast<const uint4*>(from) + i);
    const unsigned source[4] = {in.x, in.y, in.z, in.w};
    unsigned target[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      target[w] = found(source[w], 0, 4 * w) | found(source[w], 1, 4 * w + 1) | found(source[w], 2, 4 * w + 2) |
                  found(source[w], 3, 4 * w + 3);
    }
    reinterpret_cast<uint4*>(to)[i] = make_uint4(target[0], target[1], target[2], target[3]);
  }
  const Index rest = vectors * vector_bytes + first;
  if (rest < bytes) to[rest] = __ldg(tables + rest % channels * levels + from[rest]);
}

template <int channels>
void run(const Context& ctx, const std::uint8_t* tables, Index bytes, const std::uint8_t* from, std::uint8_t* to) {
  const Index vectors = bytes / vector_bytes + 1;
  const Index at_once =
      properties_of(ctx).multiProcessorCount * (properties_of(ctx).maxThreadsPerMultiProcessor / table_threads);
  const auto blocks = static_cast<unsigned>(std::clamp<Index>(divide_up(vectors, table_threads), 1, at_once));
  launch(ctx, "points", byte_tables_kernel<channels>, {blocks, table_threads}, tables, bytes, from, to);
}

}  // namespace

void bytes_by_tables(const Context& ctx, const std::uint8_t* tables, int channels, Index bytes,
                     const std::uint8_t* from, std::uint8_t* to) {
  with_channels(channels, [&](auto known) { run<known>(ctx, tables, bytes, from, to); });
}

}  // namespace whorl::backend::cuda
