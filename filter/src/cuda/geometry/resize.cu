// Resizing on an NVIDIA GPU. The first code in this list that takes the sizes is used:
//
//   bytes, two or four taps, no fewer columns   enlarge_bytes    four bytes per word; old rows in a ring of registers
//   two or four taps, enlarged or reduced       resize_strips    down strips of rows, numbers one by one
//   all others                                  resize_kernel    here: each number from its own neighbors
//
// The first two do point operations in their store; for the last one they are passes of their own. None does them in
// its load, because an old pixel is read for several new ones.
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/geometry/enlarge_bytes.cuh"
#include "filter/src/cuda/geometry/resize_strips.cuh"
#include "filter/src/cuda/points/points.hpp"
#include "filter/src/cuda/rows.hpp"
#include "filter/src/cuda/strips.hpp"
#include "filter/src/kernels/geometry/resize.hpp"
#include "filter/src/kernels/multiply_add.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::PointEnds;

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
            const Sum number = near[t * old_length + s * job.channels];
            inner = kernels::multiply_add(static_cast<Sum>(down[t]), number, inner);
          }
          const Sum middle = kernels::resize_middle<T>(inner);
          sum = kernels::multiply_add(static_cast<Sum>(along[s]), middle, sum);
        }
      } else {
        for (Index t = 0; t < rows.count; ++t) {
          Sum inner = 0;
          for (Index s = 0; s < columns.count; ++s) {
            const Sum number = near[t * old_length + s * job.channels];
            inner = kernels::multiply_add(static_cast<Sum>(along[s]), number, inner);
          }
          const Sum middle = kernels::resize_middle<T>(inner);
          sum = kernels::multiply_add(static_cast<Sum>(down[t]), middle, sum);
        }
      }
      to[row * length + i] = kernels::resize_result<T>(sum, job.weight_bits);
    }
  }
}

template <int taps, class Ends>
void enlarge_bytes(const Context& ctx, const kernels::ResizeJob& size, const ByteTaps& rows, const ByteTaps& columns,
                   const Ends& ends, const std::uint8_t* from, std::uint8_t* to) {
  const Index length = size.width * size.channels;
  const Index across = divide_up(length, enlarge_bytes_across<taps>);
  const bool whole_words =
      length >= enlarge_warp_bytes<taps> && length % 4 == 0 && reinterpret_cast<std::uintptr_t>(to) % 4 == 0;
  const auto kernel = whole_words ? enlarge_bytes_kernel<taps, true, Ends> : enlarge_bytes_kernel<taps, false, Ends>;
  const Index at_once = blocks_at_once(ctx, kernel, enlarge_threads, 0);
  const Index strip_rows = rows_of_strips(at_once, across * size.slices, size.height, 1, most_enlarge_rows);
  const EnlargeJob job{size, rows, columns, static_cast<int>(strip_rows), length, size.old_width * size.channels};
  launch(ctx, "resize", kernel,
         {grid_of_strips(across, size.slices * divide_up(size.height, strip_rows)), enlarge_threads}, job, ends, from,
         to);
}

// For two or four taps, and at least as many columns and rows as before; otherwise returns false.
template <class Ends>
bool resize_bytes(const Context& ctx, const kernels::ResizeJob& size, const ByteTaps& rows, const ByteTaps& columns,
                  const Ends& ends, const std::uint8_t* from, std::uint8_t* to) {
  if (size.columns_first || size.width < size.old_width || rows.count != columns.count) return false;
  if (rows.count == 2 && size.weight_bits == kernels::two_tap_bits) {
    enlarge_bytes<2>(ctx, size, rows, columns, ends, from, to);
    return true;
  }
  if (rows.count == 4 && size.weight_bits == byte_four_tap_bits) {
    enlarge_bytes<4>(ctx, size, rows, columns, ends, from, to);
    return true;
  }
  return false;
}

// For two or four taps along both axes, unless there are more rows and fewer columns than before; otherwise returns
// false.
template <class T, class Ends>
bool resize_in_strips(const Context& ctx, const kernels::ResizeJob& size, const kernels::ResizeTaps<T>& rows,
                      const kernels::ResizeTaps<T>& columns, const Ends& ends, const T* from, T* to) {
  const Index length = size.width * size.channels;
  const auto run = [&](auto kernel, Index threads, Index longest) {
    const Index across = (length + threads * enlarge_numbers - 1) / (threads * enlarge_numbers);
    const Index at_once = blocks_at_once(ctx, kernel, static_cast<int>(threads), 0);
    const Index strip_rows = rows_of_strips(at_once, across * size.slices, size.height, 1, longest);
    const NumbersJob<T> job{size, rows, columns, static_cast<int>(strip_rows), length, size.old_width * size.channels};
    launch(ctx, "resize", kernel,
           {grid_of_strips(across, size.slices * divide_up(size.height, strip_rows)), static_cast<unsigned>(threads)},
           job, ends, from, to);
    return true;
  };
  const auto shrink = [&](auto kernel) {
    constexpr Index longest = 16;  // no row is used twice
    return run(kernel, shrink_threads, longest);
  };
  const auto enlarge = [&](auto kernel) { return run(kernel, enlarge_threads, most_enlarge_rows); };
  if (rows.count != columns.count) return false;
  if (!size.columns_first && size.width < size.old_width) return false;
  if (rows.count == 2)
    return size.columns_first ? shrink(shrink_kernel<T, 2, Ends>) : enlarge(enlarge_kernel<T, 2, Ends>);
  if (rows.count == 4)
    return size.columns_first ? shrink(shrink_kernel<T, 4, Ends>) : enlarge(enlarge_kernel<T, 4, Ends>);
  return false;
}

// In one kernel with the operations in its store. Returns false, and does nothing, if there is no such kernel.
template <class T>
bool resize_with_ends(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
                      const kernels::ResizeTaps<T>& columns, const PointEnds& points, const T* from, T* to) {
  return with_ends<T>(points, [&](const auto& ends) {
    if constexpr (sizeof(T) == 1) {
      if (resize_bytes(ctx, job, rows, columns, ends, from, to)) return true;
    }
    return resize_in_strips(ctx, job, rows, columns, ends, from, to);
  });
}

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const PointEnds& ends, const void* image, void* result) {
  const T* const from = static_cast<const T*>(image);
  T* const to = static_cast<T*>(result);
  if (resize_with_ends(ctx, job, rows, columns, ends, from, to)) return;
  if (ends.store != nullptr) {
    const Index pixels = job.slices * job.height * job.width;
    Array<T> resized(ctx, {pixels * job.channels});
    resize<T>(ctx, job, rows, columns, {}, image, resized.data());
    return kernels::apply_points(ctx, *ends.store, pixels, resized.data(), result);
  }
  const dim3 grid = grid_of_rows(job.width * job.channels, job.slices * job.height);
  launch(ctx, "resize", resize_kernel<T>, {grid, loop_threads}, job, rows, columns, from, to);
}

}  // namespace

void register_resize() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::resize<T>.set(DeviceKind::cuda, resize<T>);
  });
}

}  // namespace whorl::backend::cuda
