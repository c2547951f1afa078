// Both passes of a separable window over bytes, as products of matrices on the tensor cores.
//
// A warp makes 16 rows of the result, 32 numbers of them (a segment) after the other. Along y a segment of the input is
// multiplied from the left by the matrix whose row i has the taps from column i on; along x what that leaves, and its
// neighbors, from the right by the like. Taps and what is between the passes have 16 bits: each is two bytes, of which
// every product is made, so that sums are exact. A product may take its columns in any order as long as both factors
// take the same: the first pass works on every fourth column at a time, and what it leaves in a lane, 8 neighboring
// numbers of two rows, is the second's factor as it is.
#pragma once

#include "backend/cuda/device/byte_mma.cuh"
#include "backend/cuda/device/mma.cuh"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

inline constexpr int window_warps = 4;
inline constexpr int window_threads = 32 * window_warps;
inline constexpr int warp_rows = 16;
inline constexpr int tile_rows = warp_rows * window_warps;
inline constexpr int segment = 32;
inline constexpr int tile_segments = 8;
inline constexpr int tile_columns = segment * tile_segments;
/// Columns of the first pass's matrix, in steps of 32, and segments beside that the second looks at: the most.
inline constexpr int most_steps = 3;
inline constexpr int most_span = 3;
inline constexpr int stage_pitch = 48;

struct ByteWindow {
  Index height, row, tiles_across, tiles_down, tiles;
  int channels, radius_y, radius_x, shift_y, shift_x, steps;
  bool aligned;  // rows, to 16 bytes, of input and result
  bool in_top;   // results are the upper bytes of the sums along x
  Border border;
  std::uint8_t beyond;
  std::int16_t y[most_steps * 32 - warp_rows + 1];
  std::uint16_t x[2 * most_span * segment + 1];
};

/// Words of a row of the input, and of its place in shared memory.
constexpr int input_words(int span) { return (tile_columns + 2 * span * segment) / 4; }
constexpr int input_pitch(int span) { return (input_words(span) + 31) / 32 * 32; }
/// Where in its row a word lies. A warp reads 8 words each of rows 4 apart at once: they lie in banks of their own.
__device__ inline int input_place(int row, int word) { return word ^ (row / 4 % 4 * 8); }
constexpr int input_rows(int steps) { return tile_rows - warp_rows + 32 * steps; }
constexpr int tap_tables(int span, int steps) { return 2 * steps + 4 * (2 * span + 1); }
constexpr int window_bytes(int span, int steps) {
  return tap_tables(span, steps) * 32 * 16 + window_warps * warp_rows * stage_pitch +
         input_rows(steps) * input_pitch(span) * 4;
}

// Four taps as their upper or lower bytes; tap(j) is 0 beyond the window.
template <class Tap>
__device__ inline uint32_t tap_bytes(bool upper, const Tap& tap) {
  uint32_t bytes = 0;
  for (int j = 0; j < 4; ++j) bytes |= (upper ? tap(j) >> 8 : tap(j) & 255) << (8 * j);
  return bytes;
}

// The taps as lanes hold them: for the first pass an a for each step and byte, for the second both bytes' b for each
// segment and each eighth of 4 of the result.
template <int kSpan>
__device__ inline void fill_tables(const ByteWindow& job, uint4* tables) {
  for (int at = threadIdx.x; at < tap_tables(kSpan, job.steps) * 32; at += window_threads) {
    const int table = at / 32;
    const int g = at % 32 / 4;
    const int t = at % 4;
    if (table < 2 * job.steps) {
      const bool upper = table % 2 == 0;
      const auto four = [&](int row, int column) {
        return tap_bytes(upper, [&](int j) {
          const int k = table / 2 * 32 + column + j - row;
          return k >= 0 && k <= 2 * job.radius_y ? static_cast<int>(job.y[k]) : 0;
        });
      };
      tables[at] = make_uint4(four(g, 4 * t), four(g + 8, 4 * t), four(g, 16 + 4 * t), four(g + 8, 16 + 4 * t));
    } else {
      const int place = table - 2 * job.steps;
      const int offset = (place / 4 - kSpan) * segment - (8 * (place % 4) + g);
      const auto four = [&](bool upper, int column) {
        return tap_bytes(upper, [&](int j) {
          const int distance = offset + column + j;
          const int k = distance / job.channels + job.radius_x;
          return distance % job.channels == 0 && k >= 0 && k <= 2 * job.radius_x ? static_cast<int>(job.x[k]) : 0;
        });
      };
      tables[at] = make_uint4(four(true, 8 * t), four(true, 8 * t + 4), four(false, 8 * t), four(false, 8 * t + 4));
    }
  }
}

// Where in a row the number lies that a place has, which may lie outside; -1: beyond a constant border.
__device__ inline Index place_in_row(const ByteWindow& job, Index x) {
  if (x >= 0 && x < job.row) return x;
  const Index channels = job.channels;
  const Index pixel = x >= 0 ? x / channels : -((channels - 1 - x) / channels);
  const Index source = border_index(job.border, pixel, job.row / channels);
  return source < 0 ? -1 : source * channels + (x - pixel * channels);
}

// Four bytes from any address, by the two words that they lie in.
__device__ inline uint32_t load_unaligned(const std::uint8_t* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* word = reinterpret_cast<const uint32_t*>(address & ~std::uintptr_t{3});
  const auto offset = static_cast<unsigned>(address % 4);
  return offset == 0 ? word[0] : __funnelshift_r(word[0], word[1], 8 * offset);
}

// Rows of the input of a tile, from `left` on.
struct InputRows {
  const std::uint8_t* slice;
  Index top, left;
  int rows;
};

// The words of a tile's input that reach over the ends of its rows, as far as taps do: what is farther meets taps of 0.
// `whole`: the first word that is not loaded as such. A thread stays in its column.
template <int kSpan>
__device__ inline void fill_edges(const ByteWindow& job, const InputRows& from, int whole, uint32_t* input) {
  const Index reach = Index{job.radius_x} * job.channels;
  const int before = from.left < 0 ? static_cast<int>((reach + 3) / 4) : 0;
  const int end = static_cast<int>(min((job.row + reach - from.left + 3) / 4, Index{input_words(kSpan)}));
  const int columns = before + max(end - whole, 0);
  if (columns == 0) return;
  const int at_once = window_threads / columns;
  const int own = threadIdx.x % columns;
  if (threadIdx.x / columns >= at_once) return;
  const int word = own < before ? kSpan * segment / 4 - before + own : whole + own - before;
  Index places[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) places[j] = place_in_row(job, from.left + word * 4 + j);
#pragma unroll 2
  for (int row = threadIdx.x / columns; row < from.rows; row += at_once) {
    const Index source = border_index(job.border, from.top + row, job.height);
    const std::uint8_t* numbers = from.slice + source * job.row;
    uint32_t bytes = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t byte = source >= 0 && places[j] >= 0 ? numbers[places[j]] : job.beyond;
      bytes |= byte << (8 * j);
    }
    input[row * input_pitch(kSpan) + input_place(row, word)] = bytes;
  }
}

// The input of a tile, from kSpan segments before it on; `slice` is the first number of its slice.
template <int kSpan>
__device__ inline void fill_input(const ByteWindow& job, const std::uint8_t* slice, Index y, Index x, uint32_t* input) {
  constexpr int pitch = input_pitch(kSpan);
  constexpr int words = input_words(kSpan);
  const InputRows from{slice, y - job.radius_y, x - kSpan * segment, tile_rows + 2 * job.radius_y};
  const uint32_t beyond = job.beyond * 0x01010101U;
  // Words that lie in the row are [first, whole). Unaligned, a word after each is read that lies within the row too.
  const int first = from.left < 0 ? kSpan * segment / 4 : 0;
  const Index fitting = job.aligned ? job.row - from.left : job.row - from.left - 4;
  const int whole = max(first, static_cast<int>(min(fitting / 4, Index{words})));
  if (job.aligned) {
    // A thread stays in its column.
    constexpr int quads = words / 4;
    constexpr int at_once = window_threads / quads;
    const int column = threadIdx.x % quads * 4;
    if (threadIdx.x < quads * at_once && column >= first && column < whole) {
      const bool all_inside = from.top >= 0 && from.top + from.rows <= job.height;
      const std::uint8_t* own = slice + from.left + column * 4;
#pragma unroll 4
      for (int row = threadIdx.x / quads; row < from.rows; row += at_once) {
        const Index source = all_inside ? from.top + row : border_index(job.border, from.top + row, job.height);
        auto* to = reinterpret_cast<uint4*>(input + row * pitch + input_place(row, column));
        if (source >= 0) {
          copy_16_bytes(to, own + source * job.row);
        } else {
          *to = make_uint4(beyond, beyond, beyond, beyond);
        }
      }
    }
    close_copy_group();
  } else {
#pragma unroll 4
    for (int i = threadIdx.x; i < from.rows * words; i += window_threads) {
      const int row = i / words;
      const int column = i % words;
      if (column < first || column >= whole) continue;
      const Index source = border_index(job.border, from.top + row, job.height);
      input[row * pitch + input_place(row, column)] =
          source < 0 ? beyond : load_unaligned(slice + source * job.row + from.left + column * 4);
    }
  }
  fill_edges<kSpan>(job, from, whole, input);
  if (job.aligned) wait_for_copies<0>();
}

/// A segment after the first pass: 16 rows of 32 numbers, their bytes as the second pass's a.
struct Segment {
  uint32_t upper[4], lower[4];
};

__device__ inline void copy_to(uint32_t (&to)[4], const uint4& from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}

// `input` is the warp's first row, whose number is a multiple of 16, as steps are: what the place of a word depends on
// is the lane.
template <int kPitch, int kSteps>
__device__ inline Segment first_pass(const ByteWindow& job, const uint4* tables, const uint32_t* input, int s) {
  const int lane = threadIdx.x % 32;
  const uint32_t* own = input + lane % 4 * 4 * kPitch + input_place(lane % 4 * 4, s * (segment / 4) + lane / 4);
  const int half = 1 << job.shift_y >> 1;
  int upper[4][4];
  int lower[4][4];
  const auto take_step = [&](int step, const auto& add) {
    uint32_t first[4], second[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      first[j] = own[(step * 32 + j) * kPitch];
      second[j] = own[(step * 32 + 16 + j) * kPitch];
    }
    transpose_bytes(first);
    transpose_bytes(second);
    uint32_t upper_taps[4], lower_taps[4];
    copy_to(upper_taps, tables[step * 64 + lane]);
    copy_to(lower_taps, tables[step * 64 + 32 + lane]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      add(upper[i], 0, upper_taps, first[i], second[i]);
      add(lower[i], half, lower_taps, first[i], second[i]);
    }
  };
  take_step(0, [](auto& sums, int start, const auto& taps, uint32_t a, uint32_t b) {
    multiply_bytes(sums, start, taps, a, b);
  });
  if constexpr (kSteps != 1) {
#pragma unroll 1
    for (int step = 1; step < job.steps; ++step) {
      take_step(step, [](auto& sums, int, const auto& taps, uint32_t a, uint32_t b) {
        multiply_add_bytes(sums, taps, a, b);
      });
    }
  }
  Segment result;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    int sums[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = ((upper[i][e] << 8) + lower[i][e]) >> job.shift_y;
    // Columns 8t to 8t + 3 of rows g and g + 8 come first, then the four on.
    const int place = e % 2 * 2 + e / 2;
    split_bytes(sums[0], sums[1], sums[2], sums[3], result.lower[place], result.upper[place]);
  }
  return result;
}

// Leaves the segment in the middle of `near` as bytes in `stage`, 16 rows of 32.
template <int kSpan>
__device__ inline void second_pass(const ByteWindow& job, const uint4* tables, const Segment (&near)[2 * kSpan + 1],
                                   std::uint8_t* stage) {
  const int lane = threadIdx.x % 32;
  const int reach = job.radius_x * job.channels;
  const int half = 1 << job.shift_x >> 1;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int upper[4];
    int middle[4];
    int lower[4];
    const uint4 own_taps = tables[(4 * kSpan + i) * 32 + lane];
    multiply_bytes(upper, 0, near[kSpan].upper, own_taps.x, own_taps.y);
    multiply_bytes(middle, 0, near[kSpan].lower, own_taps.x, own_taps.y);
    multiply_add_bytes(middle, near[kSpan].upper, own_taps.z, own_taps.w);
    multiply_bytes(lower, half, near[kSpan].lower, own_taps.z, own_taps.w);
#pragma unroll
    for (int d = 0; d <= 2 * kSpan; ++d) {
      // How far the nearest number of the segment is from these 8.
      const int gap = d < kSpan ? (kSpan - d) * segment - 31 + 8 * i : (d - kSpan) * segment - 7 - 8 * i;
      if (d == kSpan || gap > reach) continue;
      const uint4 taps = tables[(4 * d + i) * 32 + lane];
      multiply_add_bytes(upper, near[d].upper, taps.x, taps.y);
      multiply_add_bytes(middle, near[d].lower, taps.x, taps.y);
      multiply_add_bytes(middle, near[d].upper, taps.z, taps.w);
      multiply_add_bytes(lower, near[d].lower, taps.z, taps.w);
    }
    unsigned sums[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      sums[e] = (static_cast<unsigned>((upper[e] << 8) + middle[e]) << 8) + static_cast<unsigned>(lower[e]);
    }
    auto* to = reinterpret_cast<std::uint16_t*>(stage + lane / 4 * stage_pitch + 8 * i + lane % 4 * 2);
    if (job.in_top) {
      to[0] = static_cast<std::uint16_t>(__byte_perm(sums[0], sums[1], 0x0073));
      to[4 * stage_pitch] = static_cast<std::uint16_t>(__byte_perm(sums[2], sums[3], 0x0073));
    } else {
      int bytes[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) bytes[e] = min(static_cast<int>(sums[e]) >> job.shift_x, 255);
      to[0] = static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
      to[4 * stage_pitch] = static_cast<std::uint16_t>(bytes[2] | bytes[3] << 8);
    }
  }
}

// Rows from y on, 32 numbers of them from x on.
__device__ inline void store_segment(const ByteWindow& job, const std::uint8_t* stage, Index y, Index x,
                                     std::uint8_t* slice) {
  const int lane = threadIdx.x % 32;
  if (job.aligned && x + segment <= job.row) {
    if (y + lane / 2 < job.height) {
      *reinterpret_cast<uint4*>(slice + (y + lane / 2) * job.row + x + lane % 2 * 16) =
          *reinterpret_cast<const uint4*>(stage + lane / 2 * stage_pitch + lane % 2 * 16);
    }
    return;
  }
  if (x + lane >= job.row) return;
  for (int i = 0; i < warp_rows && y + i < job.height; ++i) {
    slice[(y + i) * job.row + x + lane] = stage[i * stage_pitch + lane];
  }
}

/// kSteps: 1, or 0 for any number.
template <int kSpan, int kSteps>
__global__ void __launch_bounds__(window_threads)
    byte_window_kernel(const __grid_constant__ ByteWindow job, const std::uint8_t* __restrict__ from,
                       std::uint8_t* __restrict__ to) {
  extern __shared__ uint4 window_memory[];
  constexpr int pitch = input_pitch(kSpan);
  const int warp = threadIdx.x / 32;
  uint4* tables = window_memory;
  auto* stages = reinterpret_cast<std::uint8_t*>(tables + tap_tables(kSpan, job.steps) * 32);
  auto* input = reinterpret_cast<uint32_t*>(stages + window_warps * warp_rows * stage_pitch);
  std::uint8_t* stage = stages + warp * warp_rows * stage_pitch;
  fill_tables<kSpan>(job, tables);
  for (Index tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
    const Index slice = tile / (job.tiles_across * job.tiles_down) * job.height * job.row;
    // Each row of tiles begins one further: else a block might meet none but tiles at the edge, which take longer.
    const Index down = tile / job.tiles_across;
    const Index y = down % job.tiles_down * tile_rows;
    const Index x = (tile + down) % job.tiles_across * tile_columns;
    __syncthreads();
    fill_input<kSpan>(job, from + slice, y, x, input);
    __syncthreads();
    const Index own_y = y + warp * warp_rows;
    if (own_y >= job.height) continue;
    Segment near[2 * kSpan + 1];
    for (int s = 0; s < tile_segments + 2 * kSpan; ++s) {
      const Index own_x = x + (s - 2 * kSpan) * segment;
      if (own_x >= job.row) break;
#pragma unroll
      for (int d = 0; d < 2 * kSpan; ++d) near[d] = near[d + 1];
      near[2 * kSpan] = first_pass<pitch, kSteps>(job, tables, input + warp * warp_rows * pitch, s);
      if (s < 2 * kSpan) continue;
      second_pass<kSpan>(job, tables + 2 * job.steps * 32, near, stage);
      __syncwarp();
      store_segment(job, stage, own_y, own_x, to + slice);
      __syncwarp();
    }
  }
}

}  // namespace whorl::backend::cuda
