#include "backend/cuda/filter/resize.hpp"
#include "backend/cuda/filter/rows.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// One number of the result: sums over the old rows of sums along them, or the other way round.
template <class T>
__global__ void resize_kernel(kernels::ResizeJob job, kernels::ResizeTaps<T> rows, kernels::ResizeTaps<T> columns,
                              const T* __restrict__ from, T* __restrict__ to) {
  using Sum = typename kernels::ResizeNumbers<T>::Sum;
  const Index length = job.width * job.channels;
  const Index old_length = job.old_width * job.channels;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < length; i += Index{gridDim.x} * blockDim.x) {
    const Index x = i / job.channels;
    const Index column = columns.first[x] * Index{job.channels} + i % job.channels;
    const auto* along = columns.weights + x * columns.count;
    for (Index row = blockIdx.y; row < job.slices * job.height; row += gridDim.y) {
      const Index slice = row / job.height;
      const Index y = row % job.height;
      const auto* down = rows.weights + y * rows.count;
      const T* near = from + (slice * job.old_height + rows.first[y]) * old_length + column;
      Sum sum = 0;
      if (job.columns_first) {
        for (Index s = 0; s < columns.count; ++s) {
          Sum inner = 0;
          for (Index t = 0; t < rows.count; ++t) {
            inner += static_cast<Sum>(down[t]) * static_cast<Sum>(near[t * old_length + s * job.channels]);
          }
          sum += static_cast<Sum>(along[s]) * static_cast<Sum>(kernels::resize_middle<T>(inner));
        }
      } else {
        for (Index t = 0; t < rows.count; ++t) {
          Sum inner = 0;
          for (Index s = 0; s < columns.count; ++s) {
            inner += static_cast<Sum>(along[s]) * static_cast<Sum>(near[t * old_length + s * job.channels]);
          }
          sum += static_cast<Sum>(down[t]) * static_cast<Sum>(kernels::resize_middle<T>(inner));
        }
      }
      to[row * length + i] = kernels::resize_result<T>(sum, job.weight_bits);
    }
  }
}

// Rows of the result that a thread makes one below the other: of neighboring ones each old row is read once.
constexpr int rows_of_thread = 32;

// Four bytes of each row: their left neighbors lie within seven bytes of an old row, those to the right a pixel
// further.
struct NearBytes {
  Index base = 0;              // of the first of them, in the row
  unsigned pairs[2] = {0, 0};  // selectors of two neighbors of two bytes each
  unsigned weights[4] = {0, 0, 0, 0};
};

__device__ NearBytes near_bytes(const kernels::ResizeJob& job, const kernels::ResizeTaps<std::uint8_t>& columns,
                                Index begin) {
  Index left[4];
  NearBytes near;
  Index x = begin / job.channels;
  auto channel = static_cast<int>(begin - x * job.channels);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    left[k] = columns.first[x] * Index{job.channels} + channel;
    const auto second = static_cast<unsigned>(columns.weights[2 * x + 1]);
    near.weights[k] = ((1U << kernels::two_tap_bits) - second) | second << 16;
    const bool pixel_done = channel + 1 == job.channels;
    if (pixel_done && x + 1 == job.width) continue;  // bytes beyond the row are made as its last, and not stored
    channel = pixel_done ? 0 : channel + 1;
    x += pixel_done ? 1 : 0;
  }
  near.base = min(min(left[0], left[1]), min(left[2], left[3]));
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<unsigned>(left[k] - near.base);
    near.pairs[k / 2] |= (at | (at + job.channels) << 4) << (8 * (k % 2));
  }
  return near;
}

// The words of one old row that its bytes lie in. No word after the last of the image is read.
struct NearWords {
  unsigned a, b, c, shift;
};

__device__ NearWords load_words(const NearBytes& near, const std::uint8_t* row, const unsigned* last) {
  const auto at = reinterpret_cast<std::uintptr_t>(row + near.base);
  const auto* word = reinterpret_cast<const unsigned*>(at & ~std::uintptr_t{3});
  const auto shift = static_cast<unsigned>(at & 3) * 8;
  if (word + 2 <= last) return {__ldg(word), __ldg(word + 1), __ldg(word + 2), shift};
  return {__ldg(word), __ldg(word + 1 < last ? word + 1 : last), __ldg(last), shift};
}

// The bytes with their new columns, as kernels::resize_middle leaves them.
__device__ void stretch(const NearBytes& near, const NearWords& words, unsigned (&to)[4]) {
  constexpr unsigned half = 1U << (kernels::ResizeNumbers<std::uint8_t>::first_shift - 1);
  const unsigned low = __funnelshift_r(words.a, words.b, words.shift);
  const unsigned high = __funnelshift_r(words.b, words.c, words.shift);
  const unsigned first = __byte_perm(low, high, near.pairs[0]);
  const unsigned second = __byte_perm(low, high, near.pairs[1]);
  constexpr int less = kernels::ResizeNumbers<std::uint8_t>::first_shift;
  to[0] = __dp2a_lo(near.weights[0], first, half) >> less;
  to[1] = __dp2a_hi(near.weights[1], first, half) >> less;
  to[2] = __dp2a_lo(near.weights[2], second, half) >> less;
  to[3] = __dp2a_hi(near.weights[3], second, half) >> less;
}

// Bilinear, with no fewer columns than before. The sums of kernels::resize_result times four have the level as their
// highest byte.
__global__ void enlarge_bytes_kernel(kernels::ResizeJob job, kernels::ResizeTaps<std::uint8_t> rows,
                                     kernels::ResizeTaps<std::uint8_t> columns, bool words,
                                     const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  const Index length = job.width * job.channels;
  const Index old_length = job.old_width * job.channels;
  const Index begin = 4 * (blockIdx.x * Index{blockDim.x} + threadIdx.x);
  if (begin >= length) return;
  const NearBytes near = near_bytes(job, columns, begin);
  const auto end = reinterpret_cast<std::uintptr_t>(from + job.slices * job.old_height * old_length - 1);
  const auto* last = reinterpret_cast<const unsigned*>(end & ~std::uintptr_t{3});
  const Index parts = (job.height + rows_of_thread - 1) / rows_of_thread;
  for (Index part = blockIdx.y; part < job.slices * parts; part += gridDim.y) {
    const Index index = part / parts;
    const std::uint8_t* slice = from + index * job.old_height * old_length;
    const Index top = (part - index * parts) * rows_of_thread;
    const Index bottom = min(top + rows_of_thread, job.height);
    unsigned above[4];
    unsigned below[4];
    std::int32_t held = -2;
    NearWords next = {};  // of the old row after those held, on their way while rows are made from these
    std::uint8_t* target = to + (index * job.height + top) * length + begin;
    for (Index y = top; y < bottom; ++y, target += length) {
      const std::int32_t first = rows.first[y];
      if (first != held) {
        if (first == held + 1) {
#pragma unroll
          for (int k = 0; k < 4; ++k) above[k] = below[k];
        } else {
          stretch(near, load_words(near, slice + first * old_length, last), above);
          next = load_words(near, slice + (first + 1) * old_length, last);
        }
        stretch(near, next, below);
        held = first;
        if (first + 2 < job.old_height) next = load_words(near, slice + (first + 2) * old_length, last);
      }
      constexpr int bits = kernels::two_tap_bits;
      constexpr int shift = 2 * bits - kernels::ResizeNumbers<std::uint8_t>::first_shift;
      constexpr unsigned half = ((1U << (shift - 1)) + (1U << (bits - 1))) * 4;
      const unsigned down = 4 * static_cast<unsigned>(rows.weights[2 * y + 1]);
      const unsigned up = (4U << bits) - down;
      unsigned sum[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[k] = above[k] * up + (below[k] * down + half);
      const unsigned word =
          __byte_perm(__byte_perm(sum[0], sum[1], 0x0073), __byte_perm(sum[2], sum[3], 0x0073), 0x5410);
      if (words) {
        *reinterpret_cast<unsigned*>(target) = word;
      } else {
        for (int k = 0; k < 4 && begin + k < length; ++k) target[k] = static_cast<std::uint8_t>(word >> (8 * k));
      }
    }
  }
}

void enlarge_bytes(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<std::uint8_t>& rows,
                   const kernels::ResizeTaps<std::uint8_t>& columns, const std::uint8_t* from, std::uint8_t* to) {
  const Index length = job.width * job.channels;
  const Index parts = job.slices * ((job.height + rows_of_thread - 1) / rows_of_thread);
  const bool words = length % 4 == 0 && reinterpret_cast<std::uintptr_t>(to) % 4 == 0;
  enlarge_bytes_kernel<<<grid_of_rows((length + 3) / 4, parts), loop_threads, 0, stream_of(ctx)>>>(job, rows, columns,
                                                                                                   words, from, to);
  check_launch("resize");
}

}  // namespace

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const T* from, T* to) {
  if constexpr (sizeof(T) == 1) {
    const bool bilinear = rows.count == 2 && columns.count == 2 && job.weight_bits == kernels::two_tap_bits;
    if (bilinear && !job.columns_first && job.width >= job.old_width) {
      enlarge_bytes(ctx, job, rows, columns, from, to);
      return;
    }
  }
  const dim3 grid = grid_of_rows(job.width * job.channels, job.slices * job.height);
  resize_kernel<T><<<grid, loop_threads, 0, stream_of(ctx)>>>(job, rows, columns, from, to);
  check_launch("resize");
}

#define WHORL_INSTANTIATE(T)                                                                     \
  template void resize(const Context&, const kernels::ResizeJob&, const kernels::ResizeTaps<T>&, \
                       const kernels::ResizeTaps<T>&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
