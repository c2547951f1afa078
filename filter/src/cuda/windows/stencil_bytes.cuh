// Stencils on bytes. A block sums a tile of all channels, which are separate in shared memory, four pixels per word. A
// thread sums 16 neighboring pixels, four products per instruction. Pixels are not shifted: there are four copies of
// the weights, each shifted by one pixel more. Weights longer than a byte are two digits of base 256.
#pragma once

#include "filter/src/cuda/windows/stencil_job.cuh"

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

/// One warp copies a row of bytes from shared memory, aligned to 16 bytes there, to any address.
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

/// Loads the tile of C planes, from row `top` and column `left` of the image on.
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
  __syncthreads();  // rows of pixels overlap the planes of other threads
#pragma unroll
  for (int g = 0; g < 4; ++g) {
#pragma unroll
    for (int c = 0; c < C; ++c) row[g * C + c] = pixels[g][c];
  }
}

/// A block's tile of results, and its parts of shared memory.
template <int M, int digits>
class BytesBlock {
 public:
  __device__ BytesBlock(const StencilJob& job, int4* memory)
      : job_(job),
        kernel_words_(M == 4 ? (shifted_words(job.kernel_width) + 3) / 4 * 4 : M),
        digit_words_(job.chunk_rows * kernel_words_),
        plane_words_((bytes_tile_y + job.chunk_rows - 1) * job.pitch),
        weights_(memory),
        tile_(reinterpret_cast<unsigned*>(weights_ + digits * digit_words_)),
        results_(tile_ + job.planes * plane_words_),
        tx_(threadIdx.x % (bytes_tile_x / bytes_each)),
        ty_(threadIdx.x / (bytes_tile_x / bytes_each)) {
    const Index at = blockIdx.x;
    x0_ = at % job.tiles_x * bytes_tile_x;
    y0_ = at / job.tiles_x % job.tiles_y * bytes_tile_y;
    const Index part = at / (job.tiles_x * job.tiles_y);
    const int parts = job.channels / job.planes;
    channel_ = static_cast<int>(part % parts) * job.planes;
    slice_ = part / parts;
    y_ = y0_ + ty_;
    x_ = x0_ + tx_ * bytes_each;
    place_ = ((slice_ * job.height + y_) * job.width + x_) * job.channels + channel_;
  }

  /// Rows [chunk, chunk + rows) of the kernel's weights, and the rows of the image under them.
  __device__ __forceinline__ void load_chunk(const StencilWeights& small, const int* large, const std::uint8_t* from,
                                             int chunk, int rows) const {
    __syncthreads();
    for (int i = threadIdx.x; i < digits * rows * kernel_words_ * 4; i += blockDim.x) {
      // Rows of a chunk lie together in each digit.
      const int digit = i / (rows * kernel_words_ * 4);
      const int word = i % (rows * kernel_words_ * 4);
      const int source = (digit * job_.kernel_height + chunk) * kernel_words_ * 4 + word;
      reinterpret_cast<int*>(weights_ + digit * digit_words_)[word] =
          large != nullptr ? large[source] : small.words[source];
    }
    const Index slice_bytes = job_.height * job_.width * job_.channels;
    const std::uint8_t* const image = from + slice_ * slice_bytes;
    const std::uint8_t* const end = from + job_.slices * slice_bytes;
    const Index top = y0_ - job_.kernel_height / 2 + chunk;
    const Index left = x0_ - job_.kernel_width / 2;
    const int tile_rows = bytes_tile_y + rows - 1;
    if (job_.planes == 3) {
      load_tile<3>(job_, image, end, top, left, channel_, tile_rows, tile_, plane_words_);
    } else if (job_.planes == 4) {
      load_tile<4>(job_, image, end, top, left, channel_, tile_rows, tile_, plane_words_);
    } else {
      load_tile<1>(job_, image, end, top, left, channel_, tile_rows, tile_, plane_words_);
    }
    __syncthreads();
  }

  /// The products with `rows` rows of the kernel, for the thread's pixels of a plane.
  __device__ __forceinline__ void add_rows(int plane, int rows, int (&sums)[digits][bytes_each]) const {
#pragma unroll 1
    for (int ky = 0; ky < rows; ++ky) {
      const uint4* row = reinterpret_cast<const uint4*>(tile_ + plane * plane_words_ + (ty_ + ky) * job_.pitch) + tx_;
#pragma unroll 1
      for (int word = 0; word < kernel_words_; word += M) {
        const uint4 left = row[word / 4];
        const uint4 right = row[word / 4 + 1];
        const unsigned window[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
          for (int digit = 0; digit < digits; ++digit) {
            const int4 weight = weights_[digit * digit_words_ + ky * kernel_words_ + word + m];
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

  __device__ __forceinline__ void store_wide(int plane, const int (&sums)[bytes_each], float* wide) const {
#pragma unroll
    for (int i = 0; i < bytes_each; ++i) {
      if (y_ < job_.height && x_ + i < job_.width) {
        wide[place_ + i * job_.channels + plane] = finished(job_, sums[i]);
      }
    }
  }

  /// Keeps the results of a plane until the results of all planes are complete.
  __device__ __forceinline__ void keep(int plane, const int (&sums)[bytes_each]) const {
    unsigned words[4];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      unsigned byte[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) byte[j] = finished_integer<std::uint8_t>(job_, sums[4 * g + j]);
      words[g] = __byte_perm(__byte_perm(byte[0], byte[1], 0x0040), __byte_perm(byte[2], byte[3], 0x0040), 0x5410);
    }
    reinterpret_cast<uint4*>(results_ + plane * result_words)[threadIdx.x] =
        make_uint4(words[0], words[1], words[2], words[3]);
  }

  __device__ __forceinline__ void store_kept(std::uint8_t* to) const {
    const unsigned* const own = results_ + threadIdx.x * 4;
    if (job_.channels != job_.planes) {
      const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(own);
      for (int i = 0; i < bytes_each; ++i) {
        if (y_ < job_.height && x_ + i < job_.width) to[place_ + i * job_.channels] = bytes[i];
      }
      return;
    }
    const int row_words = bytes_tile_x / 4 * job_.planes;
    unsigned* const row = results_ + ty_ * row_words + tx_ * 4 * job_.planes;
    if (job_.planes == 3) merge_planes<3>(own, row);
    if (job_.planes == 4) merge_planes<4>(own, row);
    __syncthreads();
    const int count = static_cast<int>(min(Index{bytes_tile_x}, job_.width - x0_)) * job_.planes;
    for (int r = threadIdx.x / 32; r < bytes_tile_y && y0_ + r < job_.height; r += blockDim.x / 32) {
      copy_bytes_out(results_ + r * row_words, to + ((slice_ * job_.height + y0_ + r) * job_.width + x0_) * job_.planes,
                     count);
    }
  }

 private:
  static constexpr int result_words = bytes_tile_x / 4 * bytes_tile_y;

  const StencilJob& job_;
  int kernel_words_, digit_words_, plane_words_;
  int4* weights_;      // [digit][row of the chunk][word], four shifts each
  unsigned* tile_;     // [plane][row][word]
  unsigned* results_;  // [plane][row][word]
  int tx_, ty_, channel_;
  Index slice_, x0_, y0_;
  Index x_, y_, place_;  // of the thread's first result
};

/// M words of weights at a time, with `digits` digits. Results are written to `to`, or to `wide` if they are float32.
template <int M, int digits>
__global__ void __launch_bounds__(256)
    stencil_bytes(const StencilJob job, const __grid_constant__ StencilWeights small, const int* __restrict__ large,
                  const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to, float* __restrict__ wide) {
  extern __shared__ int4 stencil_memory[];
  const BytesBlock<M, digits> block(job, stencil_memory);
  const bool in_chunks = job.chunk_rows < job.kernel_height;
  if (!in_chunks) block.load_chunk(small, large, from, 0, job.kernel_height);
#pragma unroll 1
  for (int plane = 0; plane < job.planes; ++plane) {
    int sums[digits][bytes_each] = {};
#pragma unroll 1
    for (int chunk = 0; chunk < job.kernel_height; chunk += job.chunk_rows) {
      const int rows = min(job.chunk_rows, job.kernel_height - chunk);
      if (in_chunks) block.load_chunk(small, large, from, chunk, rows);
      block.add_rows(plane, rows, sums);
    }
    if constexpr (digits == 2) {
#pragma unroll
      for (int i = 0; i < bytes_each; ++i) sums[0][i] += sums[1][i] * 256;
    }
    if (wide != nullptr) {
      block.store_wide(plane, sums[0], wide);
    } else {
      block.keep(plane, sums[0]);
    }
  }
  if (wide == nullptr) block.store_kept(to);
}

}  // namespace whorl::backend::cuda
