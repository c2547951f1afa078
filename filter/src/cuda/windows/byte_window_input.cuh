// The input of separable windows over bytes, in the form for tensor cores: words of four rows of a column. The two
// words of an octet of rows are adjacent.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "filter/src/cuda/byte_mma.cuh"
#include "whorl/core/integer.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

inline constexpr int warp_rows = 16;
/// Pixels of a span. To make one span of results, a window needs kSpans spans around it.
inline constexpr int span_pixels = 16;
inline constexpr int most_spans = 6;

constexpr int window_margin(int spans) { return (spans - 1) * span_pixels / 2; }
inline constexpr int most_margin = window_margin(most_spans);

/// The places to read for the rows or pixels beyond an edge, from the edge outwards; -1: constant.
struct Beside {
  int before[most_margin], after[most_margin];
};

/// The number of bytes for taps: place p is for the number p - 16 places after the start of the spans.
constexpr int tap_places(int spans) { return span_pixels * (spans + 1) + 4; }

struct ByteWindow {
  int height, row;
  Beside rows, pixels;
  int strips, pieces;
  int piece_spans;  // spans that a block makes of each of its rows
  /// Sums along y become numbers in the upper 16 bits as upper_scale * upper + lower_scale * lower + half_y.
  unsigned upper_scale, lower_scale, half_y;
  int half_x, shift_x;
  bool aligned;  // rows of input and result are aligned to 16 bytes
  Border border;
  std::uint8_t beyond;
  /// The upper bytes of the taps along y, their lower bytes, and both of the taps along x.
  alignas(4) std::uint8_t taps[4][tap_places(most_spans)];
};

constexpr int up_to_four(int n) { return (n + 3) / 4 * 4; }

/// The work of a block at a time: two spans, or four or six spans if there are few channels.
template <int C, int kSpans>
struct WindowShape {
  /// As many warps as leave registers for several blocks, or for one. For RGB and short windows, five warps
  /// have nearly as many threads as groups to load, and a third block runs while the other two wait.
  static constexpr bool five = C == 3 && kSpans == 2;
  static constexpr int warps = five ? 5 : kSpans == 3 ? 6 : 8;
  static constexpr int blocks = five ? 3 : kSpans <= 3 ? 2 : 1;
  static constexpr int threads = 32 * warps;
  static constexpr int rows = warp_rows * warps;
  static constexpr int units = C == 1 ? 3 : C == 2 ? 2 : 1;
  static constexpr int columns = 2 * units * span_pixels * C;
  static constexpr int groups = columns / 8;
  static constexpr int octets = (rows + (kSpans - 1) * span_pixels) / 8;
  static constexpr int rounds = divide_up(up_to_four(octets) * groups, threads);
  static constexpr int reach = window_margin(kSpans) * C;
  /// In vectors of two columns. Spans and octets are padded so that eight lanes use different banks: four octets with
  /// neighboring groups, or with the same place in both spans.
  static constexpr int span_pitch = span_pixels * C / 2 + 4;
  static constexpr int pitch = 2 * units * span_pitch + 1;
  static constexpr int stage_pitch = columns / 16 + 1;
};

template <int C, int kSpans>
struct WindowMemory {
  using Shape = WindowShape<C, kSpans>;
  uint4 columns[2][Shape::octets * Shape::pitch];
  uint2 raw[Shape::rounds * 8 * Shape::threads];  // a thread's own
  uint4 stage[Shape::warps][warp_rows * Shape::stage_pitch];
  alignas(16) const std::uint8_t* rows[Shape::octets * 8];  // nullptr: constant
  int edges[2][Shape::reach];  // the places in a row of the numbers before it, and of those after it
  uint32_t taps[4][tap_places(most_spans) / 4];
  int4 half;
};

/// A whole block calls it, for the rows from y on.
template <int C, int kSpans>
__device__ void fill_places(const ByteWindow& job, const std::uint8_t* slice, int y, WindowMemory<C, kSpans>& memory) {
  using Shape = WindowShape<C, kSpans>;
  const int own = static_cast<int>(threadIdx.x);
  if (own < Shape::octets * 8) {
    const int near = y - window_margin(kSpans) + own;
    const int after = near - job.height;
    const int source = near < 0    ? job.rows.before[-1 - near]
                       : after < 0 ? near
                                   : job.rows.after[min(after, most_margin - 1)];
    memory.rows[own] = source < 0 ? nullptr : slice + Index{source} * job.row;
  }
  for (int i = own; i < 2 * Shape::reach; i += Shape::threads) {
    const int at = i % Shape::reach;
    const int pixel = at / C;
    const int source =
        i < Shape::reach ? job.pixels.before[window_margin(kSpans) - 1 - pixel] : job.pixels.after[pixel];
    memory.edges[i / Shape::reach][at] = source < 0 ? -1 : source * C + at % C;
  }
  if (own < 4 * tap_places(most_spans) / 4) {
    memory.taps[0][own] = reinterpret_cast<const uint32_t*>(job.taps[0])[own];
  }
  if (own == 0) memory.half = make_int4(job.half_x, job.half_x, job.half_x, job.half_x);
}

/// Loads four bytes from any address, by the two words that contain them.
__device__ inline uint32_t load_unaligned(const std::uint8_t* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* word = reinterpret_cast<const uint32_t*>(address & ~std::uintptr_t{3});
  const auto offset = static_cast<unsigned>(address % 4);
  return offset == 0 ? word[0] : __funnelshift_r(word[0], word[1], 8 * offset);
}

/// The group of 8 bytes from x on of eight rows, for places where they cannot simply be copied.
template <int C, int kSpans>
__device__ __noinline__ void load_group(const ByteWindow& job, const WindowMemory<C, kSpans>& memory, int octet, int x,
                                        uint2* raw) {
  constexpr int reach = WindowShape<C, kSpans>::reach;
  constexpr int threads = WindowShape<C, kSpans>::threads;
  const bool within = x >= 0 && x + 12 <= job.row;
#pragma unroll 1
  for (int w = 0; w < 2; ++w) {
    const int first = x + 4 * w;
    int places[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int at = first + j;
      // Places farther beyond a row than the window reaches are not used.
      places[j] = at < 0         ? memory.edges[0][at + reach]
                  : at < job.row ? at
                                 : memory.edges[1][min(at - job.row, reach - 1)];
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      const std::uint8_t* row = memory.rows[8 * octet + r];
      uint32_t bytes = job.beyond * 0x01010101U;
      if (row != nullptr && within) {
        bytes = load_unaligned(row + first);
      } else if (row != nullptr) {
        bytes = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const uint32_t byte = places[j] < 0 ? job.beyond : row[places[j]];
          bytes |= byte << (8 * j);
        }
      }
      reinterpret_cast<uint32_t*>(raw + r * threads)[w] = bytes;
    }
  }
}

/// The group of a thread: eight threads have pairs of neighboring groups of four octets, and a warp has four such
/// pairs. Groups are numbered within an octet.
template <int C, int kSpans>
struct WindowGroup {
  int octet, group;

  __device__ explicit WindowGroup(int round) {
    using Shape = WindowShape<C, kSpans>;
    constexpr int pairs = Shape::groups / 2;
    const int i = static_cast<int>(threadIdx.x) + round * Shape::threads;
    octet = i / 8 / pairs * 4 + i / 2 % 4;
    group = i / 8 % pairs * 2 + i % 2;
  }

  __device__ bool exists() const { return octet < WindowShape<C, kSpans>::octets; }
};

/// Starts loading the columns from `left` on of the rows from y on, each thread its own groups.
template <int C, int kSpans>
__device__ __forceinline__ void load_columns(const ByteWindow& job, int y, int left, WindowMemory<C, kSpans>& memory) {
  using Shape = WindowShape<C, kSpans>;
#pragma unroll
  for (int round = 0; round < Shape::rounds; ++round) {
    const WindowGroup<C, kSpans> own(round);
    const int x = left + own.group * 8;
    if (!own.exists() || x >= job.row + Shape::reach) continue;
    uint2* raw = memory.raw + round * 8 * Shape::threads + threadIdx.x;
    const int top = y - window_margin(kSpans) + 8 * own.octet;
    const bool has_rows = job.border != Border::constant || (top >= 0 && top + 8 <= job.height);
    if (!job.aligned || !has_rows || x < 0 || x + 8 > job.row) {
      load_group(job, memory, own.octet, x, raw);
      continue;
    }
    const std::uint8_t* rows[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) rows[r] = memory.rows[8 * own.octet + r] + x;
#pragma unroll
    for (int r = 0; r < 8; ++r) copy_8_bytes(raw + r * Shape::threads, rows[r]);
  }
  close_copy_group();
}

/// Each thread rearranges the groups that it has loaded into words of columns.
template <int C, int kSpans>
__device__ __forceinline__ void order_columns(const WindowMemory<C, kSpans>& memory, uint4* columns) {
  using Shape = WindowShape<C, kSpans>;
  wait_for_copies<0>();
#pragma unroll
  for (int round = 0; round < Shape::rounds; ++round) {
    const WindowGroup<C, kSpans> own(round);
    if (!own.exists()) continue;
    const uint2* raw = memory.raw + round * 8 * Shape::threads + threadIdx.x;
    uint32_t words[2][2][4];  // [four columns][quad][column]
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      const uint2 row = raw[r * Shape::threads];
      words[0][r / 4][r % 4] = row.x;
      words[1][r / 4][r % 4] = row.y;
    }
    constexpr int groups_of_span = span_pixels * C / 8;
    uint4* to = columns + own.octet * Shape::pitch + own.group / groups_of_span * Shape::span_pitch +
                own.group % groups_of_span * 4;
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      transpose_bytes(words[w][0]);
      transpose_bytes(words[w][1]);
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        to[2 * w + i / 2] = make_uint4(words[w][0][i], words[w][1][i], words[w][0][i + 1], words[w][1][i + 1]);
      }
    }
  }
}

}  // namespace whorl::backend::cuda
