// Stencils on bytes: a block sums a tile of all channels, which lie apart in shared memory, four pixels a word. A
// thread sums 16 pixels next to each other, four products an instruction: it does not shift pixels, for there are four
// copies of the weights, each shifted by one pixel more. Weights that are longer than a byte are two digits of base
// 256.
#pragma once

#include "filter/cuda/windows/stencil_job.cuh"

namespace whorl::backend::cuda {

inline constexpr int bytes_tile_x = 128;
inline constexpr int bytes_tile_y = 32;
inline constexpr int bytes_each = 16;

/// Words of a row of the kernel at any of its four shifts.
constexpr int shifted_words(int kernel_width) { return (kernel_width + 3 + 3) / 4; }

__device__ inline int dot_bytes(unsigned pixels, int weights, int sum) {
  int result;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pixels), "r"(weights), "r"(sum));
  return result;
}

/// Word c has byte c of each of four pixels of C bytes.
template <int C>
__device__ void take_apart(const unsigned (&pixels)[C], unsigned (&planes)[C]) {
  if constexpr (C == 1) {
    planes[0] = pixels[0];
  } else {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      const int b[4] = {c, C + c, 2 * C + c, 3 * C + c};
      const unsigned low = __byte_perm(pixels[b[0] / 4], pixels[b[1] / 4], b[0] % 4 + (b[1] % 4 + 4) * 16);
      const unsigned high = __byte_perm(pixels[b[2] / 4], pixels[b[3] / 4], b[2] % 4 + (b[3] % 4 + 4) * 16);
      planes[c] = __byte_perm(low, high, 0x5410);
    }
  }
}

/// The reverse.
template <int C>
__device__ void bring_together(const unsigned (&planes)[C], unsigned (&pixels)[C]) {
  if constexpr (C == 1) {
    pixels[0] = planes[0];
  } else {
#pragma unroll
    for (int w = 0; w < C; ++w) {
      const int b = 4 * w;  // byte i of the pixels is that of pixel i / C in plane i % C
      const unsigned low = __byte_perm(planes[b % C], planes[(b + 1) % C], b / C + ((b + 1) / C + 4) * 16);
      const unsigned high = __byte_perm(planes[(b + 2) % C], planes[(b + 3) % C], (b + 2) / C + ((b + 3) / C + 4) * 16);
      pixels[w] = __byte_perm(low, high, 0x5410);
    }
  }
}

/// Four pixels of a row from x on, as words of planes. `row` is null beyond a constant border.
template <int C>
__device__ void load_pixels(const StencilJob& job, const std::uint8_t* row, const std::uint8_t* end, Index x,
                            int channel, unsigned (&planes)[C]) {
  const unsigned value = static_cast<unsigned>(job.border_value) * 0x01010101U;
  if (row == nullptr) {
#pragma unroll
    for (int c = 0; c < C; ++c) planes[c] = value;
    return;
  }
  if (job.channels == C && x >= 0 && x + 4 <= job.width && row + (x + 4) * C + 4 <= end) {
    const std::uint8_t* first = row + x * C;
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) & 3U);
    const unsigned* words = reinterpret_cast<const unsigned*>(first - shift);
    unsigned pixels[C];
    unsigned word = __ldg(words);
#pragma unroll
    for (int i = 0; i < C; ++i) {
      const unsigned next = i + 1 < C || shift != 0 ? __ldg(words + i + 1) : 0;
      pixels[i] = __funnelshift_r(word, next, shift * 8);
      word = next;
    }
    take_apart(pixels, planes);
    return;
  }
#pragma unroll
  for (int c = 0; c < C; ++c) planes[c] = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Index at = border_index(job.border, x + i, job.width);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      const unsigned byte = at < 0 ? value & 0xffU : row[at * job.channels + channel + c];
      planes[c] |= byte << (8 * i);
    }
  }
}

/// A row of bytes from shared memory, 16 bytes aligned there, to anywhere; by one warp.
__device__ inline void copy_bytes_out(const unsigned* from, std::uint8_t* to, int count) {
  const int lane = threadIdx.x % 32;
  const int ahead = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) & 15U);
  if (ahead == 0 && count % 16 == 0) {
    for (int i = lane; i < count / 16; i += 32) {
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
    }
    return;
  }
  const int head = min(count, (4 - (ahead & 3)) & 3);
  const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(from);
  if (lane < head) to[lane] = bytes[lane];
  const int words = (count - head) / 4;
  for (int i = lane; i < words; i += 32) {
    const unsigned next = head == 0 ? 0 : from[i + 1];
    reinterpret_cast<unsigned*>(to + head)[i] = __funnelshift_r(from[i], next, head * 8);
  }
  const int done = head + words * 4;
  if (lane < count - done) to[done + lane] = bytes[done + lane];
}

/// The tile of C planes, from `top` and `left` of the image on.
template <int C>
__device__ void load_tile(const StencilJob& job, const std::uint8_t* image, const std::uint8_t* end, Index top,
                          Index left, int channel, int rows, unsigned* tile, int plane_words) {
  const int groups = (bytes_tile_x + job.kernel_width - 1 + 3) / 4;
  for (int i = threadIdx.x; i < rows * groups; i += blockDim.x) {
    const int row = i / groups;
    const int group = i - row * groups;
    const Index y = border_index(job.border, top + row, job.height);
    unsigned planes[C];
    load_pixels<C>(job, y < 0 ? nullptr : image + y * job.width * job.channels, end, left + 4 * group, channel, planes);
#pragma unroll
    for (int c = 0; c < C; ++c) tile[c * plane_words + row * job.pitch + group] = planes[c];
  }
}

/// The results of a thread from its planes to the pixels of a row, in place: `row` of C words for each word of a plane.
template <int C>
__device__ void merge_planes(const unsigned* planes, unsigned* row) {
  constexpr int plane = bytes_tile_x / 4 * bytes_tile_y;
  unsigned pixels[4][C];
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    unsigned words[C];
#pragma unroll
    for (int c = 0; c < C; ++c) words[c] = planes[c * plane + g];
    bring_together(words, pixels[g]);
  }
  __syncthreads();  // rows of pixels lie over other threads' planes
#pragma unroll
  for (int g = 0; g < 4; ++g) {
#pragma unroll
    for (int c = 0; c < C; ++c) row[g * C + c] = pixels[g][c];
  }
}

/// M words of weights at once, of `digits` digits. Results go to `to`, or to `wide` where they are float32.
template <int M, int digits>
__global__ void __launch_bounds__(256)
    stencil_bytes(const StencilJob job, const __grid_constant__ StencilWeights small, const int* __restrict__ large,
                  const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to, float* __restrict__ wide) {
  extern __shared__ int4 stencil_memory[];
  const int kernel_words = M == 4 ? (shifted_words(job.kernel_width) + 3) / 4 * 4 : M;
  int4* const weights = stencil_memory;  // [digit][row of the chunk][word], four shifts each
  const int digit_words = job.chunk_rows * kernel_words;
  unsigned* const tile = reinterpret_cast<unsigned*>(weights + digits * digit_words);
  const int plane_words = (bytes_tile_y + job.chunk_rows - 1) * job.pitch;
  constexpr int result_words = bytes_tile_x / 4 * bytes_tile_y;
  unsigned* const results = tile + job.planes * plane_words;  // [plane][row][word]

  const int tx = threadIdx.x % (bytes_tile_x / bytes_each);
  const int ty = threadIdx.x / (bytes_tile_x / bytes_each);
  const Index at = blockIdx.x;
  const Index x0 = at % job.tiles_x * bytes_tile_x;
  const Index y0 = at / job.tiles_x % job.tiles_y * bytes_tile_y;
  const Index part = at / (job.tiles_x * job.tiles_y);
  const int parts = job.channels / job.planes;
  const int channel = static_cast<int>(part % parts) * job.planes;
  const Index slice = part / parts;
  const std::uint8_t* const image = from + slice * job.height * job.width * job.channels;
  const std::uint8_t* const end = from + job.slices * job.height * job.width * job.channels;
  const bool together = job.channels == job.planes;

  const auto load_chunk = [&](int chunk, int rows) {
    __syncthreads();
    for (int i = threadIdx.x; i < digits * rows * kernel_words * 4; i += blockDim.x) {
      // Rows of a chunk lie together in each digit.
      const int digit = i / (rows * kernel_words * 4);
      const int word = i % (rows * kernel_words * 4);
      const int source = (digit * job.kernel_height + chunk) * kernel_words * 4 + word;
      reinterpret_cast<int*>(weights + digit * digit_words)[word] =
          large != nullptr ? large[source] : small.words[source];
    }
    const Index top = y0 - job.kernel_height / 2 + chunk;
    const Index left = x0 - job.kernel_width / 2;
    const int tile_rows = bytes_tile_y + rows - 1;
    if (job.planes == 3) {
      load_tile<3>(job, image, end, top, left, channel, tile_rows, tile, plane_words);
    } else if (job.planes == 4) {
      load_tile<4>(job, image, end, top, left, channel, tile_rows, tile, plane_words);
    } else {
      load_tile<1>(job, image, end, top, left, channel, tile_rows, tile, plane_words);
    }
    __syncthreads();
  };

  const Index y = y0 + ty;
  const Index x = x0 + tx * bytes_each;
  const Index place = ((slice * job.height + y) * job.width + x) * job.channels + channel;
  if (job.chunk_rows >= job.kernel_height) load_chunk(0, job.kernel_height);
#pragma unroll 1
  for (int c = 0; c < job.planes; ++c) {
    int sums[digits][bytes_each] = {};
#pragma unroll 1
    for (int chunk = 0; chunk < job.kernel_height; chunk += job.chunk_rows) {
      const int rows = min(job.chunk_rows, job.kernel_height - chunk);
      if (job.chunk_rows < job.kernel_height) load_chunk(chunk, rows);
#pragma unroll 1
      for (int ky = 0; ky < rows; ++ky) {
        const uint4* row = reinterpret_cast<const uint4*>(tile + c * plane_words + (ty + ky) * job.pitch) + tx;
#pragma unroll 1
        for (int word = 0; word < kernel_words; word += M) {
          const uint4 left = row[word / 4];
          const uint4 right = row[word / 4 + 1];
          const unsigned window[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
#pragma unroll
          for (int m = 0; m < M; ++m) {
#pragma unroll
            for (int digit = 0; digit < digits; ++digit) {
              const int4 weight = weights[digit * digit_words + ky * kernel_words + word + m];
#pragma unroll
              for (int g = 0; g < 4; ++g) {
                int* sum = sums[digit] + 4 * g;
                sum[0] = dot_bytes(window[m + g], weight.x, sum[0]);
                sum[1] = dot_bytes(window[m + g], weight.y, sum[1]);
                sum[2] = dot_bytes(window[m + g], weight.z, sum[2]);
                sum[3] = dot_bytes(window[m + g], weight.w, sum[3]);
              }
            }
          }
        }
      }
    }
    if constexpr (digits == 2) {
#pragma unroll
      for (int i = 0; i < bytes_each; ++i) sums[0][i] += sums[1][i] * 256;
    }
    if (wide != nullptr) {
#pragma unroll
      for (int i = 0; i < bytes_each; ++i) {
        if (y < job.height && x + i < job.width) wide[place + i * job.channels + c] = finished(job, sums[0][i]);
      }
      continue;
    }
    unsigned words[4];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      unsigned byte[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) byte[j] = finished_integer<std::uint8_t>(job, sums[0][4 * g + j]);
      words[g] = __byte_perm(__byte_perm(byte[0], byte[1], 0x0040), __byte_perm(byte[2], byte[3], 0x0040), 0x5410);
    }
    reinterpret_cast<uint4*>(results + c * result_words)[threadIdx.x] =
        make_uint4(words[0], words[1], words[2], words[3]);
  }
  if (wide != nullptr) return;

  const unsigned* const own = results + threadIdx.x * 4;
  if (!together) {
    const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(own);
    for (int i = 0; i < bytes_each; ++i) {
      if (y < job.height && x + i < job.width) to[place + i * job.channels] = bytes[i];
    }
    return;
  }
  const int row_words = bytes_tile_x / 4 * job.planes;
  unsigned* const row = results + ty * row_words + tx * 4 * job.planes;
  if (job.planes == 3) merge_planes<3>(own, row);
  if (job.planes == 4) merge_planes<4>(own, row);
  __syncthreads();
  const int count = static_cast<int>(min(Index{bytes_tile_x}, job.width - x0)) * job.planes;
  for (int r = threadIdx.x / 32; r < bytes_tile_y && y0 + r < job.height; r += blockDim.x / 32) {
    copy_bytes_out(results + r * row_words, to + ((slice * job.height + y0 + r) * job.width + x0) * job.planes, count);
  }
}

}  // namespace whorl::backend::cuda
