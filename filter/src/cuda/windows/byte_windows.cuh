// Both passes of a separable window over bytes, as products of matrices on the tensor cores.
//
// A warp goes along 16 rows of the result, two spans of 16 pixels at a time. Along y the input is multiplied from the
// left by a matrix whose row i has the taps from column i on. Along x the products are multiplied from the right by a
// matrix of the same kind, span by span and channel by channel. Taps and the numbers between the passes have 16 bits:
// they are split into two bytes, all products of bytes are made, and the sums are exact. The columns of the first
// product are ordered such that its result in a lane, four neighboring pixels of a channel in either span, is directly
// a factor of the second product. A span is half of that factor; the window moves on by replacing one half.
#pragma once

#include "filter/src/cuda/windows/byte_window_input.cuh"

namespace whorl::backend::cuda {

/// c += the product of matrices in parts: 16 columns of a, and the 16 rows of b.
template <int kParts>
__device__ __forceinline__ void multiply_add_parts(int (&c)[4], const uint32_t (&a)[kParts][2],
                                                   const uint32_t (&b)[kParts]) {
#pragma unroll
  for (int i = 0; i + 1 < kParts; i += 2) {
    const uint32_t both[4] = {a[i][0], a[i][1], a[i + 1][0], a[i + 1][1]};
    multiply_add_bytes(c, both, b[i], b[i + 1]);
  }
  if constexpr (kParts % 2 != 0) multiply_add_half(c, a[kParts - 1], b[kParts - 1]);
}

/// The number, from 0 to kSpans, of the input span that is part i of the window of the second result span; the first
/// result span has span i there. So even spans stay in one half of the factors, and odd spans in the other half.
template <int kSpans>
constexpr int seen_second(int i) {
  return i == 0 ? kSpans - kSpans % 2 : i + 1 == kSpans && kSpans % 2 != 0 ? kSpans : i;
}

/// The taps as a lane holds them: upper bytes, then lower ones.
template <int kSpans>
struct LaneTaps {
  uint32_t y[2][kSpans][2];
  /// For the first of two spans and for the second; for the even pairs of a span's pixels, then for the odd pairs.
  uint32_t x[2][2][2][kSpans];

  template <class Memory>
  __device__ explicit LaneTaps(const Memory& memory) {
    const int g = threadIdx.x % 32 / 4;
    const int t = threadIdx.x % 4;
    // Four taps, for the numbers from `number` on in the result `own`.
    const auto four = [&](int kind, int number, int own) {
      const int place = number - own + span_pixels;
      return __funnelshift_r(memory.taps[kind][place / 4], memory.taps[kind][place / 4 + 1], 8 * (place % 4));
    };
#pragma unroll
    for (int byte = 0; byte < 2; ++byte) {
#pragma unroll
      for (int s = 0; s < kSpans; ++s) {
        const int number = s * span_pixels + 4 * t;
        // A lane has an octet of 32 rows; if the last 16 rows are alone, it has half an octet of them.
        const int row = kSpans % 2 != 0 && s + 1 == kSpans ? number : s / 2 * 2 * span_pixels + 8 * t + s % 2 * 4;
        y[byte][s][0] = four(byte, row, g);
        y[byte][s][1] = four(byte, row, g + 8);
      }
    }
    // The taps in another order. The barrier hides this from the compiler, so that it does not reorder them each
    // time.
#pragma unroll
    for (int span = 0; span < 2; ++span) {
      __syncwarp();
#pragma unroll
      for (int i = 0; i < 4 * kSpans; ++i) {
        const int s = i / 4;
        const int number = (span == 0 ? s : seen_second<kSpans>(s) - 1) * span_pixels + 4 * t;
        x[i % 2][span][i / 2 % 2][s] = four(2 + i % 2, number, g / 2 * 4 + i / 2 % 2 * 2 + g % 2);
      }
    }
  }
};

/// A channel of a span after the first pass, with its bytes in the form of factor a of the second pass: rows g, then g
/// + 8.
struct SpanNumbers {
  uint32_t upper[2], lower[2];
};

/// Sums along y of two spans. `own` are the lane's first words of their columns; `last` are those of the last 16 rows.
template <int C, int kSpans>
__device__ __forceinline__ void first_pass(const ByteWindow& job, const LaneTaps<kSpans>& taps, const uint4* own,
                                           const uint32_t* last, uint32_t (&sums)[4 * C][4]) {
  constexpr int pitch = WindowShape<C, kSpans>::pitch;
#pragma unroll
  for (int m = 0; m < C; ++m) {
    uint32_t words[4][kSpans];
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
#pragma unroll
      for (int s = 0; s + 1 < kSpans; s += 2) {
        const uint4 both = own[s * 2 * pitch + 2 * m + j / 2];
        words[j][s] = both.x;
        words[j][s + 1] = both.y;
        words[j + 1][s] = both.z;
        words[j + 1][s + 1] = both.w;
      }
      if constexpr (kSpans % 2 != 0) {
        const uint32_t* half = last + (2 * m + j / 2) * 4;
        words[j][kSpans - 1] = half[0];
        words[j + 1][kSpans - 1] = half[2];
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int upper[4] = {};
      int lower[4] = {};
      multiply_add_parts(upper, taps.y[0], words[j]);
      multiply_add_parts(lower, taps.y[1], words[j]);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const auto low = static_cast<unsigned>(lower[e]) * job.lower_scale + job.half_y;
        sums[4 * m + j][e] = static_cast<unsigned>(upper[e]) * job.upper_scale + low;
      }
    }
  }
}

/// The results of one span.
template <int C>
__device__ __forceinline__ void split_span(const uint32_t (&sums)[4 * C][4], int span, SpanNumbers (&to)[C]) {
#pragma unroll
  for (int c = 0; c < C; ++c) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int e = 2 * r + span;
      split_bytes(sums[c][e], sums[C + c][e], sums[2 * C + c][e], sums[3 * C + c][e], to[c].lower[r], to[c].upper[r]);
    }
  }
}

/// Sums along x of a channel, four pixels of the rows g and g + 8: the last byte of each word is the result.
template <int C, int kSpans, bool kInTop>
__device__ __forceinline__ void sum_span(const ByteWindow& job, const LaneTaps<kSpans>& taps, const int4& half,
                                         const SpanNumbers (&near)[kSpans + 1][C], int span, int c,
                                         uint32_t (&sums)[2][4]) {
  uint32_t upper_numbers[kSpans][2];
  uint32_t lower_numbers[kSpans][2];
#pragma unroll
  for (int s = 0; s < kSpans; ++s) {
    const SpanNumbers& from = near[span == 0 ? s : seen_second<kSpans>(s)][c];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      upper_numbers[s][r] = from.upper[r];
      lower_numbers[s][r] = from.lower[r];
    }
  }
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    int upper[4] = {};
    int middle[4] = {};
    int lower[4] = {half.x, half.y, half.z, half.w};
    multiply_add_parts(upper, upper_numbers, taps.x[0][span][pair]);
    multiply_add_parts(middle, lower_numbers, taps.x[0][span][pair]);
    multiply_add_parts(middle, upper_numbers, taps.x[1][span][pair]);
    multiply_add_parts(lower, lower_numbers, taps.x[1][span][pair]);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const unsigned sum = (static_cast<unsigned>((upper[e] << 8) + middle[e]) << 8) + static_cast<unsigned>(lower[e]);
      sums[e / 2][2 * pair + e % 2] = kInTop ? sum : min(sum >> job.shift_x, 255U) << 24;
    }
  }
}

/// Writes a span of results as bytes from `stage` on, which is the lane's place in row g.
template <int C, int kSpans, bool kInTop>
__device__ __forceinline__ void second_pass(const ByteWindow& job, const LaneTaps<kSpans>& taps, const int4& half,
                                            const SpanNumbers (&near)[kSpans + 1][C], int span, uint32_t* stage) {
  constexpr int pitch = 4 * WindowShape<C, kSpans>::stage_pitch;
  uint32_t sums[C][2][4];
#pragma unroll
  for (int c = 0; c < C; ++c) sum_span<C, kSpans, kInTop>(job, taps, half, near, span, c, sums[c]);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int w = 0; w < C; ++w) {
      const auto sum = [&](int j) { return sums[(4 * w + j) % C][r][(4 * w + j) / C]; };
      stage[r * 8 * pitch + span * 4 * C + w] =
          __byte_perm(__byte_perm(sum(0), sum(1), 0x0073), __byte_perm(sum(2), sum(3), 0x0073), 0x5410);
    }
  }
}

/// A block's part of the image.
struct WindowPlace {
  Index slice;     // its first number
  int y;           // of its first row
  int begin, end;  // numbers of a row that it makes
};

/// Stores 16 rows from y on, from the number x on.
template <int C, int kSpans>
__device__ __forceinline__ void store_rows(const ByteWindow& job, const WindowPlace& place, const uint4* stage, int y,
                                           int x, std::uint8_t* to) {
  using Shape = WindowShape<C, kSpans>;
  const int lane = threadIdx.x % 32;
  if (!job.aligned) {
    const int rows = min(warp_rows, job.height - y);
    for (int row = 0; row < rows; ++row) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(stage + row * Shape::stage_pitch);
      std::uint8_t* target = to + place.slice + Index{y + row} * job.row + x;
      for (int i = lane; i < Shape::columns; i += 32) {
        if (x + i >= place.begin && x + i < place.end) target[i] = bytes[i];
      }
    }
    return;
  }
  // Eight lanes have pairs of vectors of every other one of four rows, so that they use different banks.
  const int row = lane / 2 % 4 * 2 + lane / 8 % 2 + lane / 16 * 8;
  if (y + row >= job.height) return;
  const uint4* from = stage + row * Shape::stage_pitch + lane % 2;
  auto* target = reinterpret_cast<uint4*>(to + place.slice + Index{y + row} * job.row + x) + lane % 2;
#pragma unroll
  for (int i = 0; i < Shape::columns / 16; i += 2) {
    const int at = x + (i + lane % 2) * 16;
    if (at >= place.begin && at < place.end) target[i] = from[i];
  }
}

/// kInTop: results are the upper bytes of the sums along x, and need no clipping.
template <int C, int kSpans, bool kInTop>
__global__ void __launch_bounds__(WindowShape<C, kSpans>::threads, WindowShape<C, kSpans>::blocks)
    byte_window_kernel(const __grid_constant__ ByteWindow job, const std::uint8_t* __restrict__ from,
                       std::uint8_t* __restrict__ to) {
  using Shape = WindowShape<C, kSpans>;
  extern __shared__ uint4 window_memory[];
  auto& memory = *reinterpret_cast<WindowMemory<C, kSpans>*>(window_memory);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int g = lane / 4;
  const int t = lane % 4;
  const auto part = static_cast<int>(blockIdx.x) / job.pieces;
  const int piece = static_cast<int>(blockIdx.x) - part * job.pieces;
  const int slice = part / job.strips;
  WindowPlace place;
  place.slice = Index{slice} * job.height * job.row;
  place.y = (part - slice * job.strips) * Shape::rows;
  place.begin = piece * job.piece_spans * span_pixels * C;
  place.end = min(place.begin + job.piece_spans * span_pixels * C, job.row);
  fill_places(job, from + place.slice, place.y, memory);
  __syncthreads();
  int left = place.begin - Shape::reach;
  load_columns(job, place.y, left, memory);
  const LaneTaps<kSpans> taps(memory);
  const int y = place.y + warp * warp_rows;
  uint4* stage = memory.stage[warp];
  auto* own_stage = reinterpret_cast<uint32_t*>(stage + g * Shape::stage_pitch) + t * C;
  // The columns of pixels 4t to 4t + 3 of the first span are those of 2t, of the second those of 2t + 1.
  const int own_columns = g % 2 * Shape::span_pitch + g / 2 * 2 * C;
  const int own_octet = (warp * 2 + t) * Shape::pitch;
  const int last_octet = (warp * 2 + (kSpans - 1) * 2 + t / 2) * Shape::pitch;
  // Four registers with the start of sums. The compiler does not know that they are equal, so it does not copy them
  // each time.
  const int4 half = memory.half;
  SpanNumbers near[kSpans + 1][C] = {};
  int buffer = 0;
#pragma unroll 1
  for (int x = place.begin - (kSpans - 1) * span_pixels * C; x < place.end; x += Shape::columns) {
    uint4* columns = memory.columns[buffer];
    buffer ^= 1;
    order_columns(memory, columns);
    left += Shape::columns;
    if (x + Shape::columns < place.end) load_columns(job, place.y, left, memory);
    // Slower warps may still read the other columns; they finished with these before the previous barrier.
    __syncthreads();
    if (y >= job.height) continue;
#pragma unroll 1
    for (int unit = 0; unit < Shape::units; ++unit) {
      const uint4* own = columns + own_columns + unit * 2 * Shape::span_pitch;
      uint32_t sums[4 * C][4];
      first_pass<C, kSpans>(job, taps, own + own_octet, reinterpret_cast<const uint32_t*>(own + last_octet) + t % 2,
                            sums);
#pragma unroll
      for (int span = 0; span < 2; ++span) {
        split_span<C>(sums, span, near[kSpans - 1 + span]);
        second_pass<C, kSpans, kInTop>(job, taps, half, near, span, own_stage + unit * 8 * C);
      }
#pragma unroll
      for (int s = 0; s + 1 < kSpans; ++s) {
#pragma unroll
        for (int c = 0; c < C; ++c) near[s][c] = near[s + 2][c];
      }
    }
    __syncwarp();
    store_rows<C, kSpans>(job, place, stage, y, x, to);
    __syncwarp();
  }
}

}  // namespace whorl::backend::cuda
