// Medians on an NVIDIA GPU. Which kernel takes which window:
//
//   radius 1        median_three     gray and RGB: a thread goes down a strip of rows, with sorted columns in registers
//   radius 2        median_five      gray and RGB: columns sorted by a warp, shared by the windows of a tile
//   radius 1, 2     median_network   other channels: a network of comparators for each window
//   radius 3 to 15  bit windows      here: bit by bit from the highest. A row of a window fits a word, so that one
//                                    instruction counts the ones of three rows (radius 3, 4), two (5 to 7) or one
//                                    (8 to 15)
//   all others      median_large     histograms that go down columns
//
// The first, the second and, up to radius 4, the fourth do point operations in their load and store; for the others
// they are passes of their own.
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/edge_slice.cuh"
#include "filter/src/cuda/ends.cuh"
#include "filter/src/cuda/ordered/median_large.hpp"
#include "filter/src/cuda/ordered/median_network.hpp"
#include "filter/src/cuda/points/point_ends.hpp"
#include "filter/src/kernels/ordered/median.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Ordered;
using kernels::PointEnds;

constexpr int lanes = 32;
constexpr int warps = 8;

// A row of a window is in one word, a row of a tile in two words. Windows have up to `side` rows and columns. A word
// holds `packed` rows of a window, and a thread makes `outputs` numbers of one column, so that its windows share words.
template <int side, int packed, int outputs>
struct BitWindows {
  static_assert(side * packed <= lanes);
  static constexpr int largest = side;
  static constexpr int words = divide_up(side, packed);
  static constexpr int starts = outputs + (words - 1) * packed;
  static constexpr int rows = starts + packed - 1;
  static constexpr int tile_rows = warps * outputs;
  static constexpr int packed_rows = packed;
  static constexpr int outputs_made = outputs;
};
using SmallWindows = BitWindows<9, 3, 8>;
using MiddleWindows = BitWindows<15, 2, 4>;
using LargeWindows = BitWindows<31, 1, 2>;

// Factors that move a row of a window behind others in a word. Products are used because shifts would compete for the
// units of all other instructions.
struct RowFactors {
  std::uint32_t at[3];

  explicit RowFactors(int side)
      : at{1, std::uint32_t{1} << side, side < lanes / 2 ? std::uint32_t{1} << 2 * side : 0} {}
};

template <class T>
constexpr int key_bits = 8 * sizeof(T);

template <class T>
__device__ std::uint32_t unsigned_key(Ordered<T> key) {
  if constexpr (std::is_same_v<T, float>) return static_cast<std::uint32_t>(key) ^ 0x80000000U;
  return key;
}

// Bit by bit from the highest: a bit of the median is zero if enough of the numbers that agree with it so far have a
// zero there. A block stores its numbers as planes of bits, so that a row of a window is a part of a word.
template <class T, class Windows, class Ends>
__global__ void __launch_bounds__(lanes* warps) median_by_bits(EdgeSlice<T> image, int radius, RowFactors factors,
                                                               const __grid_constant__ Ends ends, T* __restrict__ to) {
  constexpr int bits = key_bits<T>;
  constexpr int words = Windows::words;
  constexpr int packed = Windows::packed_rows;
  constexpr int outputs = Windows::outputs_made;
  __shared__ uint2 planes[bits][Windows::tile_rows - outputs + Windows::rows];
  const int lane = static_cast<int>(threadIdx.x);
  const int channel = static_cast<int>(blockIdx.x % static_cast<unsigned>(image.channels));
  const Index left = Index{blockIdx.x} / image.channels * lanes;
  const Index top = Index{blockIdx.y} * Windows::tile_rows;
  const Index slice = blockIdx.z;
  const EdgeSlice<T> source = slice_of(image, slice);
  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  const int side = 2 * radius + 1;
  const Index first_x = border_index(image.edge.border, left + lane - radius, image.width);
  const Index second_x = border_index(image.edge.border, left + lane + lanes - radius, image.width);
  const auto key_at = [&](Index y, Index x) {
    const bool is_there = y >= 0 && x >= 0;
    T value = is_there ? source.pixels[(y * image.width + x) * image.channels + channel] : image.edge.value;
    if constexpr (Ends::any) {
      if (is_there) ends.load(value);
    }
    return unsigned_key<T>(kernels::to_ordered(value));
  };
  for (int row = static_cast<int>(threadIdx.y); row < Windows::tile_rows + 2 * radius; row += warps) {
    const Index y = border_index(image.edge.border, top + row - radius, image.height);
    const std::uint32_t first = key_at(y, first_x);
    const std::uint32_t second = key_at(y, second_x);
#pragma unroll
    for (int bit = 0; bit < bits; ++bit) {
      const uint2 word{__ballot_sync(~0U, (first >> bit & 1) != 0), __ballot_sync(~0U, (second >> bit & 1) != 0)};
      if (lane == 0) planes[bit][row] = word;
    }
  }
  __syncthreads();
  const std::uint32_t row_mask = (std::uint32_t{1} << side) - 1;
  const int row = static_cast<int>(threadIdx.y) * outputs;
  std::uint32_t alive[outputs][words];
#pragma unroll
  for (int word = 0; word < words; ++word) {
    std::uint32_t mask = 0;
#pragma unroll
    for (int k = 0; k < packed; ++k) mask |= word * packed + k < side ? row_mask << k * side : 0;
#pragma unroll
    for (int i = 0; i < outputs; ++i) alive[i][word] = mask;
  }
  int rank[outputs];
  std::uint32_t key[outputs];
#pragma unroll
  for (int i = 0; i < outputs; ++i) {
    rank[i] = side * side / 2;
    key[i] = 0;
  }
#pragma unroll 1
  for (int bit = bits - 1; bit >= 0; --bit) {
    // First single rows of windows; then, from each row on, as many rows as a word holds.
    std::uint32_t ones[Windows::rows];
#pragma unroll
    for (int y = 0; y < Windows::rows; ++y) {
      const uint2 both = planes[bit][row + y];
      ones[y] = __funnelshift_r(both.x, both.y, lane);
      if constexpr (packed > 1) ones[y] &= row_mask;
    }
#pragma unroll
    for (int y = 0; y < Windows::starts; ++y) {
#pragma unroll
      for (int k = 1; k < packed; ++k) ones[y] += ones[y + k] * factors.at[k];
    }
#pragma unroll
    for (int i = 0; i < outputs; ++i) {
      int zeros = 0;
#pragma unroll
      for (int word = 0; word < words; ++word) zeros += __popc(alive[i][word] & ~ones[i + word * packed]);
      const bool is_one = rank[i] >= zeros;
      if (is_one) rank[i] -= zeros;
      key[i] = 2 * key[i] + (is_one ? 1 : 0);
      const std::uint32_t flip = is_one ? 0 : ~0U;
#pragma unroll
      for (int word = 0; word < words; ++word) alive[i][word] &= ones[i + word * packed] ^ flip;
    }
  }
  const Index x = left + lane;
  if (x >= image.width) return;
#pragma unroll
  for (int i = 0; i < outputs; ++i) {
    const Index y = top + row + i;
    if (y >= image.height) return;
    std::uint32_t found = key[i];
    if constexpr (std::is_same_v<T, float>) found ^= 0x80000000U;
    T result = kernels::from_ordered<T>(static_cast<Ordered<T>>(found));
    ends.store(result);
    to[((slice * image.height + y) * image.width + x) * image.channels + channel] = result;
  }
}

template <class Windows, class T, class Ends = NoEnds>
void launch_bits(const Context& ctx, const EdgeSlice<T>& image, Index slices, Index radius, T* to,
                 const Ends& ends = {}) {
  const dim3 blocks =
      grid_of(divide_up(image.width, lanes) * image.channels, divide_up(image.height, Windows::tile_rows), slices);
  const RowFactors factors(static_cast<int>(2 * radius + 1));
  launch(ctx, "median", median_by_bits<T, Windows, Ends>, {blocks, dim3(lanes, warps)}, image, static_cast<int>(radius),
         factors, ends, to);
}

template <class T>
EdgeSlice<T> image_of(const ImageFormat& format, kernels::Edge<T> edge, const T* from) {
  return {from, format.height, format.width, count_of(format.channels), edge};
}

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const PointEnds& points,
            const void* pixels, void* result) {
  const T* const from = static_cast<const T*>(pixels);
  T* const to = static_cast<T*>(result);
  const EdgeSlice<T> image = image_of(format, edge, from);
  const Index side = 2 * radius + 1;
  if (radius == 1 && median_of_three_rows(ctx, format, edge, points, from, to)) return;
  if (radius == 2 && median_of_five_rows(ctx, format, edge, points, from, to)) return;
  if (radius > largest_network_radius && side <= SmallWindows::largest) {
    return with_ends<T>(
        points, [&](const auto& ends) { launch_bits<SmallWindows>(ctx, image, format.slices(), radius, to, ends); });
  }
  if (points.any()) {
    return in_passes<T, T>(ctx, format, points, pixels, result, [&](const T* loaded, T* medians) {
      median<T>(ctx, format, radius, edge, {}, loaded, medians);
    });
  }
  if (radius <= largest_network_radius) return median_by_network(ctx, format, radius, edge, from, to);
  if (side > LargeWindows::largest) return median_by_histogram(ctx, format, radius, edge, from, to);
  if (side <= MiddleWindows::largest) {
    launch_bits<MiddleWindows>(ctx, image, format.slices(), radius, to);
  } else {
    launch_bits<LargeWindows>(ctx, image, format.slices(), radius, to);
  }
}

}  // namespace

void register_median() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::median<T>.set(DeviceKind::cuda, median<T>);
  });
}

}  // namespace whorl::backend::cuda
