#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/points/points.hpp"
#include "filter/src/kernels/points/point_arithmetic.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int levels = 256;
constexpr int lanes = 32;
constexpr int table_words = levels / 4;
constexpr int bits_of_byte = 8;
constexpr int pixels_of_thread = 16;
constexpr int words_of_thread = 3 * pixels_of_thread / 4;

// The weights' lower and upper bytes, a channel to a byte: products of bytes are summed four at a time.
struct ByteWeights {
  unsigned low = 0;
  unsigned high = 0;
  int divisor = 1;

  __device__ unsigned gray(unsigned rgb) const {
    return kernels::point::divide(__dp4a(rgb, high, 0U) * levels + __dp4a(rgb, low, 0U), divisor);
  }
};

// Each lane has its own table, as in byte_tables.cu.
__device__ __forceinline__ unsigned entry(const unsigned* words, unsigned v) {
  return reinterpret_cast<const std::uint8_t*>(words)[((v & 0xfcU) << 5) + (threadIdx.x % lanes) * 4 + (v & 3U)];
}

// The three bytes from byte `at` of a thread's words on; the fourth byte has the weight 0.
template <int at>
__device__ __forceinline__ unsigned three_bytes(const unsigned (&words)[words_of_thread]) {
  constexpr int shift = bits_of_byte * (at % 4);
  if constexpr (at % 4 < 2) {
    return words[at / 4] >> shift;
  } else {
    return __funnelshift_r(words[at / 4], words[at / 4 + 1], shift);
  }
}

template <bool Table>
__global__ void __launch_bounds__(loop_threads)
    byte_mixes_kernel(ByteWeights weights, const std::uint8_t* __restrict__ table, Index pixels,
                      const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  __shared__ unsigned words[Table ? table_words * lanes : 1];
  if constexpr (Table) {
    for (int i = threadIdx.x; i < table_words * lanes; i += loop_threads) {
      words[i] = __ldg(reinterpret_cast<const unsigned*>(table) + i / lanes);
    }
    __syncthreads();
  }
  const auto result = [&](unsigned rgb) {
    const unsigned gray = weights.gray(rgb);
    return Table ? entry(words, gray) : gray;
  };
  const Index first = blockIdx.x * Index{loop_threads} + threadIdx.x;
  const Index stride = Index{gridDim.x} * loop_threads;
  const Index parts = pixels / pixels_of_thread;
  for (Index i = first; i < parts; i += stride) {
    unsigned source[words_of_thread];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const uint4 in = __ldg(reinterpret_cast<const uint4*>(from) + 3 * i + k);
      source[4 * k] = in.x;
      source[4 * k + 1] = in.y;
      source[4 * k + 2] = in.z;
      source[4 * k + 3] = in.w;
    }
    // Four pixels begin at bytes 0, 3, 6 and 9 of three words.
    const auto four = [&](auto part) {
      constexpr int at = 12 * decltype(part)::value;
      return result(three_bytes<at>(source)) | result(three_bytes<at + 3>(source)) << bits_of_byte |
             result(three_bytes<at + 6>(source)) << (2 * bits_of_byte) |
             result(three_bytes<at + 9>(source)) << (3 * bits_of_byte);
    };
    reinterpret_cast<uint4*>(to)[i] =
        make_uint4(four(std::integral_constant<int, 0>{}), four(std::integral_constant<int, 1>{}),
                   four(std::integral_constant<int, 2>{}), four(std::integral_constant<int, 3>{}));
  }
  const Index rest = parts * pixels_of_thread + first;
  if (rest < pixels) {
    const std::uint8_t* pixel = from + 3 * rest;
    const unsigned rgb = pixel[0] | unsigned{pixel[1]} << bits_of_byte | unsigned{pixel[2]} << (2 * bits_of_byte);
    to[rest] = static_cast<std::uint8_t>(result(rgb));
  }
}

}  // namespace

void gray_of_bytes(const Context& ctx, const kernels::PointStep& mix, const std::uint8_t* table, Index pixels,
                   const std::uint8_t* from, std::uint8_t* to) {
  ByteWeights weights;
  weights.divisor = mix.divisor;
  for (int c = 0; c < 3; ++c) {
    const auto weight = static_cast<unsigned>(mix.weights[c]);
    weights.low |= weight % levels << (bits_of_byte * c);
    weights.high |= weight / levels << (bits_of_byte * c);
  }
  const auto kernel = table != nullptr ? byte_mixes_kernel<true> : byte_mixes_kernel<false>;
  launch_loop(ctx, "points", kernel, pixels / pixels_of_thread + pixels_of_thread, weights, table, pixels, from, to);
}

}  // namespace whorl::backend::cuda
