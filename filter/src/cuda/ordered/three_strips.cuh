// Windows of 3 x 3 numbers in strips of whole vectors, a warp per strip. Two rows are made at once, because their
// windows share two rows; four rows are being loaded.
#pragma once

#include <type_traits>

#include "filter/src/cuda/byte_strips.cuh"
#include "filter/src/cuda/ordered/three_keys.cuh"

namespace whorl::backend::cuda::three_strips {

// The number of rows that are made at once, and how many times this number are being loaded.
inline constexpr int pair = 2;
inline constexpr int ahead = 2;

template <class T, int channels>
using Words = ThreeWords<T, channels, lane_bytes / word_bytes>;

/// The keys of a row that a lane sees, of its own words and its neighbors'.
template <class T, int channels>
__device__ __forceinline__ void take_keys(const uint4& row, PackedKeys<T>* keys) {
  using Words = Words<T, channels>;
  std::uint32_t words[Words::own] = {row.x, row.y, row.z, row.w};
#pragma unroll
  for (std::uint32_t& word : words) word = WordRows<T>::keys(word);
#pragma unroll
  for (int i = 0; i < Words::halo; ++i) {
    const std::uint32_t left = __shfl_up_sync(whole_warp, words[Words::own - Words::halo + i], 1);
    const std::uint32_t right = __shfl_down_sync(whole_warp, words[i], 1);
    keys[i] = PackedKeys<T>::unpack(left);
    keys[Words::halo + Words::own + i] = PackedKeys<T>::unpack(right);
  }
#pragma unroll
  for (int i = 0; i < Words::own; ++i) keys[Words::halo + i] = PackedKeys<T>::unpack(words[i]);
}

template <class T>
__device__ __forceinline__ std::uint32_t stored(PackedKeys<T> keys) {
  const std::uint32_t word = keys.pack();
  if constexpr (sizeof(T) < word_bytes) return word;
  return __float_as_uint(kernels::from_ordered<T>(static_cast<std::int32_t>(word)));
}

template <class Window, class T, int channels, class Ends>
__global__ void __launch_bounds__(strip_threads, 4)
    walk_three_strips(const __grid_constant__ ByteStrips strips, const __grid_constant__ Ends ends,
                      const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  using Words = Words<T, channels>;
  using Keys = PackedKeys<T>;
  __shared__ Edges edges;
  ends.prepare();
  find_edges<channels* static_cast<int>(sizeof(T))>(strips, edges);
  const unsigned warp = blockIdx.x * strip_warps + threadIdx.x / 32;
  if (warp >= strips.slices * strips.strips * strips.across) return;
  const StripLane own(strips, warp, static_cast<int>(threadIdx.x % 32), from);

  // The two last rows.
  typename Window::template Row<Keys> above[Words::own];
  typename Window::template Row<Keys> at[Words::own];
  const auto make_row = [&](const uint4& row, typename Window::template Row<Keys>* made) {
    Keys keys[Words::count];
    take_keys<T, channels>(row, keys);
    make_three_row<Window, T, channels, Words>(keys, made);
  };
  uint4 begin[pair];
  uint4 rows[ahead][pair];
  load_strip(strips, edges, own, own.first - 1, begin);
#pragma unroll
  for (int k = 0; k < ahead; ++k) load_strip(strips, edges, own, own.first + 1 + k * pair, rows[k]);
  load_through(ends, strips, own.first - 1, begin);
  order_edge(strips, edges, own.side, begin);
  make_row(begin[0], above);
  make_row(begin[1], at);
#pragma unroll 1
  for (int y = own.first; y < own.last;) {
#pragma unroll
    for (int k = 0; k < ahead; ++k, y += pair) {
      load_through(ends, strips, y + 1, rows[k]);
      order_edge(strips, edges, own.side, rows[k]);
      Keys keys[pair][Words::count];
#pragma unroll
      for (int r = 0; r < pair; ++r) take_keys<T, channels>(rows[k][r], keys[r]);
      if (y + ahead * pair < own.last) load_strip(strips, edges, own, y + 1 + ahead * pair, rows[k]);
      typename Window::template Row<Keys> below[pair][Words::own];
#pragma unroll
      for (int r = 0; r < pair; ++r) make_three_row<Window, T, channels, Words>(keys[r], below[r]);
      std::uint32_t found[pair][Words::own];
#pragma unroll
      for (int i = 0; i < Words::own; ++i) {
        Keys upper, lower;
        Window::of_four_rows(above[i], at[i], below[0][i], below[1][i], upper, lower);
        found[0][i] = stored<T>(upper);
        found[1][i] = stored<T>(lower);
        above[i] = below[0][i];
        at[i] = below[1][i];
      }
#pragma unroll
      for (int r = 0; r < pair; ++r) {
        uint4 results = make_uint4(found[r][0], found[r][1], found[r][2], found[r][3]);
        ends.store(results);
        if (own.is_making && y + r < own.last) {
          *reinterpret_cast<uint4*>(to + own.target + Index{y + r} * strips.groups * lane_bytes) = results;
        }
      }
    }
  }
}

/// As walk_rows. Returns false also if rows are not whole vectors.
template <class Window, class T>
bool walk_strips(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge, const kernels::PointEnds& points,
                 const T* from, T* to) {
  if (!in_byte_strips(format, from, to)) return false;
  const auto walk = [&]<int channels>(std::integral_constant<int, channels> /*of the image*/) {
    if constexpr (is_edge_near(1, channels * static_cast<int>(sizeof(T)))) {
      with_ends<T>(points, [&](const auto& ends) {
        const auto kernel = walk_three_strips<Window, T, channels, std::decay_t<decltype(ends)>>;
        const ByteStrips strips = byte_strips(ctx, format, edge.border, repeated(edge.value), kernel);
        launch(ctx, Window::name, kernel, {blocks_of(strips), strip_threads}, strips, ends,
               reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to));
      });
      return true;
    }
    return false;
  };
  constexpr int gray = 1;
  constexpr int rgb = 3;
  if (count_of(format.channels) == gray) return walk(std::integral_constant<int, gray>());
  if (count_of(format.channels) == rgb) return walk(std::integral_constant<int, rgb>());
  return false;
}

}  // namespace whorl::backend::cuda::three_strips
