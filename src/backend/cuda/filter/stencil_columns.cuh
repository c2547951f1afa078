// Stencils of up to 5 x 5 small weights on bytes, in registers: a thread goes down 16 bytes of the rows. Four rows of a
// column of bytes make a word, whose products with four weights are one instruction; neighbors are words of other
// registers, whatever the channels.
#pragma once

#include "backend/cuda/filter/stencil_bytes.cuh"

namespace whorl::backend::cuda {

inline constexpr int columns_threads = 128;
inline constexpr int columns_bytes = 16;
inline constexpr int columns_largest = 5;  // rows and columns of the kernel

struct ColumnsJob {
  Index slices, height, width;
  int groups;  // of 16 bytes in a row
  int strips, strip_rows;
  Border border;
  unsigned border_value;
  bool absolute;
  bool whole;  // sums are the results
  float scale, offset;
  /// Four rows of a column of the kernel, [result row][column][word], as shifted for the result row.
  int weights[4][columns_largest][2];
};

/// Results of a step down, and words of four rows that they need.
template <int size>
inline constexpr int rows_of_step = size == 3 ? 2 : 4;
template <int size>
inline constexpr int column_words = size == 3 ? 1 : 2;
/// Words to the left and right of 16 bytes that hold the neighbors.
template <int size, int C>
inline constexpr int side_words = (size / 2 * C + 3) / 4;

__device__ inline unsigned pack_saturated(int first, int second, unsigned rest) {
  unsigned result;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(second), "r"(first), "r"(rest));
  return result;
}

/// Where the bytes to the left and right of a row are read; -1: they have the constant value. By a whole block.
template <int sides, int C>
__device__ void find_sides(const ColumnsJob& job, int (&beyond)[2][4 * sides]) {
  constexpr int count = 4 * sides;
  const int i = static_cast<int>(threadIdx.x);
  if (i < 2 * count) {
    constexpr int lead = 4;  // pixels, so that no byte is below 0
    const int first = i < count ? -count : job.groups * columns_bytes;
    const int byte = first + i % count + lead * C;
    const auto pixel = static_cast<int>(border_index(job.border, byte / C - lead, job.width));
    beyond[i / count][i % count] = pixel < 0 ? -1 : pixel * C + byte % C;
  }
  __syncthreads();
}

/// The words of a row around byte `x`, where the image may end on either side.
template <int sides>
__device__ void load_around(const ColumnsJob& job, const int (&beyond)[2][4 * sides], const std::uint8_t* image,
                            Index y, int x, unsigned (&words)[4 + 2 * sides]) {
  const Index near = border_index(job.border, y, job.height);
  if (near < 0) {
#pragma unroll
    for (unsigned& word : words) word = job.border_value * 0x01010101U;
    return;
  }
  const int length = job.groups * columns_bytes;
  const std::uint8_t* row = image + near * length;
  const uint4 middle = __ldg(reinterpret_cast<const uint4*>(row + x));
  words[sides] = middle.x;
  words[sides + 1] = middle.y;
  words[sides + 2] = middle.z;
  words[sides + 3] = middle.w;
  const auto load_side = [&](bool is_inside, int from, const int* offsets, unsigned* to) {
#pragma unroll
    for (int i = 0; i < sides; ++i) {
      if (is_inside) {
        to[i] = __ldg(reinterpret_cast<const unsigned*>(row + from) + i);
      } else {
        unsigned bytes[4];
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          const int offset = offsets[4 * i + b];
          bytes[b] = offset < 0 ? job.border_value : __ldg(row + offset);
        }
        to[i] = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
      }
    }
  };
  load_side(x > 0, x - 4 * sides, beyond[0], words);
  load_side(x + columns_bytes < length, x + columns_bytes, beyond[1], words + sides + 4);
}

/// Bytes of two rows side by side.
__device__ inline void interleave(unsigned a, unsigned b, unsigned* pairs) {
  pairs[0] = __byte_perm(a, b, 0x5140);
  pairs[1] = __byte_perm(a, b, 0x7362);
}

/// The four columns of two pairs of rows.
__device__ inline void join(const unsigned* upper, const unsigned* lower, unsigned* columns) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    columns[2 * i] = __byte_perm(upper[i], lower[i], 0x5410);
    columns[2 * i + 1] = __byte_perm(upper[i], lower[i], 0x7632);
  }
}

/// Four results.
__device__ inline unsigned finished_word(const ColumnsJob& job, const int (&sums)[4]) {
  if (job.whole) {
    int values[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) values[j] = job.absolute ? abs(sums[j]) : sums[j];
    return pack_saturated(values[0], values[1], pack_saturated(values[2], values[3], 0));
  }
  unsigned bits[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    // Sums are far below 2^22: added to the bits of 1.5 * 2^23 they are floats, and 2^23 cuts what is below one off.
    const float sum = __int_as_float(sums[j] + 0x4b400000) - 12582912.0F;
    const float value = fmaf(job.absolute ? fabsf(sum) : sum, job.scale, job.offset);
    bits[j] = __float_as_uint(__fadd_rd(fminf(fmaxf(value, 0.0F), 255.0F), 8388608.0F));
  }
  return __byte_perm(__byte_perm(bits[0], bits[1], 0x0040), __byte_perm(bits[2], bits[3], 0x0040), 0x5410);
}

template <int size, int C>
__global__ void __launch_bounds__(columns_threads)
    stencil_columns(const __grid_constant__ ColumnsJob job, const std::uint8_t* __restrict__ from,
                    std::uint8_t* __restrict__ to) {
  constexpr int sides = side_words<size, C>;
  constexpr int words = 4 + 2 * sides;
  constexpr int step = rows_of_step<size>;
  constexpr int depth = column_words<size>;
  __shared__ int beyond[2][4 * sides];
  find_sides<sides, C>(job, beyond);
  const Index at = blockIdx.x * Index{columns_threads} + threadIdx.x;
  const Index strip = at / job.groups;
  if (strip >= job.slices * job.strips) return;
  const int x = static_cast<int>(at - strip * job.groups) * columns_bytes;
  const Index slice = strip / job.strips;
  const Index first = (strip - slice * job.strips) * job.strip_rows;
  const Index last = min(first + job.strip_rows, job.height);
  const Index image = slice * job.height * job.groups * columns_bytes;

  // What a step leaves to the next: two rows in pairs, or four in columns.
  unsigned kept[words][step];
  unsigned rows[step][words];
  const auto load_rows = [&](Index y) {
#pragma unroll
    for (int r = 0; r < step; ++r) load_around<sides>(job, beyond, from + image, y + r, x, rows[r]);
  };
  const auto pack_rows = [&](int w, unsigned* packed) {
    if constexpr (step == 2) {
      interleave(rows[0][w], rows[1][w], packed);
    } else {
      unsigned upper[2];
      unsigned lower[2];
      interleave(rows[0][w], rows[1][w], upper);
      interleave(rows[2][w], rows[3][w], lower);
      join(upper, lower, packed);
    }
  };
  load_rows(first - size / 2);
#pragma unroll
  for (int w = 0; w < words; ++w) pack_rows(w, kept[w]);
  load_rows(first - size / 2 + step);
#pragma unroll 1
  for (Index y = first; y < last; y += step) {
    unsigned columns[depth][4 * words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      unsigned next[step];
      pack_rows(w, next);
      if constexpr (step == 2) {
        join(kept[w], next, columns[0] + 4 * w);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          columns[0][4 * w + i] = kept[w][i];
          columns[1][4 * w + i] = next[i];
        }
      }
#pragma unroll
      for (int i = 0; i < step; ++i) kept[w][i] = next[i];
    }
    if (y + step < last) load_rows(y - size / 2 + 2 * step);
#pragma unroll
    for (int r = 0; r < step; ++r) {
      unsigned results[4];
#pragma unroll
      for (int g = 0; g < 4; ++g) {
        int sums[4] = {};
#pragma unroll
        for (int k = 0; k < size; ++k) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const int column = 4 * (sides + g) + j + (k - size / 2) * C;
#pragma unroll
            for (int d = 0; d < depth; ++d) sums[j] = dot_bytes(columns[d][column], job.weights[r][k][d], sums[j]);
          }
        }
        results[g] = finished_word(job, sums);
      }
      if (y + r < last) {
        *reinterpret_cast<uint4*>(to + image + (y + r) * job.groups * columns_bytes + x) =
            make_uint4(results[0], results[1], results[2], results[3]);
      }
    }
  }
}

}  // namespace whorl::backend::cuda
