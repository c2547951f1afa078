#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/rows.hpp"
#include "filter/src/kernels/geometry/flip.hpp"

namespace whorl::backend::cuda {

namespace {

struct FlipJob {
  Index rows, depth, height, width;
  int channels;
  kernels::FlippedAxes axes;
};

// The row of the source, counted over all slices, that becomes row `row`.
__device__ Index source_row(const FlipJob& job, Index row) {
  if (!job.axes.y && !job.axes.z) return row;
  const Index y = row % job.height;
  const Index z = row / job.height % job.depth;
  Index source = row;
  if (job.axes.y) source += job.height - 1 - 2 * y;
  if (job.axes.z) source += (job.depth - 1 - 2 * z) * job.height;
  return source;
}

template <class T>
__global__ void flip_kernel(FlipJob job, const T* __restrict__ from, T* __restrict__ to) {
  const Index x = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (x >= job.width) return;
  const Index source_x = job.axes.x ? job.width - 1 - x : x;
  for (Index row = blockIdx.y; row < job.rows; row += gridDim.y) {
    const T* near = from + (source_row(job, row) * job.width + source_x) * job.channels;
    T* target = to + (row * job.width + x) * job.channels;
    for (int c = 0; c < job.channels; ++c) target[c] = near[c];
  }
}

// Four pixels of three bytes, which are three words, in the opposite order.
__global__ void mirror_rgb_kernel(FlipJob job, const unsigned* __restrict__ from, unsigned* __restrict__ to) {
  const auto width = static_cast<unsigned>(job.width / 4);
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  for (Index row = blockIdx.y; row < job.rows; row += gridDim.y) {
    const unsigned* near = from + (source_row(job, row) * width + (width - 1 - x)) * 3;
    const unsigned a = near[0];
    const unsigned b = near[1];
    const unsigned c = near[2];
    unsigned* target = to + (row * width + x) * 3;
    // Bytes: a = r0 g0 b0 r1, b = g1 b1 r2 g2, c = b2 r3 g3 b3.
    target[0] = __byte_perm(c, b, 0x6321);
    target[1] = __byte_perm(__byte_perm(b, c, 0x0043), __byte_perm(a, b, 0x0043), 0x5410);
    target[2] = __byte_perm(a, b, 0x2105);
  }
}

// Pixels of `pixel` bytes in the opposite order.
template <int pixel>
__device__ uint4 reversed(uint4 v) {
  if constexpr (pixel == 1)
    return {__byte_perm(v.w, 0, 0x0123), __byte_perm(v.z, 0, 0x0123), __byte_perm(v.y, 0, 0x0123),
            __byte_perm(v.x, 0, 0x0123)};
  if constexpr (pixel == 2)
    return {__byte_perm(v.w, 0, 0x1032), __byte_perm(v.z, 0, 0x1032), __byte_perm(v.y, 0, 0x1032),
            __byte_perm(v.x, 0, 0x1032)};
  if constexpr (pixel == 4) return {v.w, v.z, v.y, v.x};
  if constexpr (pixel == 8) return {v.z, v.w, v.x, v.y};
  return v;
}

// Rows of whole vectors. The order within a vector does not change for pixels of 16 bytes and for rows that are not
// mirrored.
template <int pixel>
__global__ void flip_vectors_kernel(FlipJob job, Index vectors, const uint4* __restrict__ from,
                                    uint4* __restrict__ to) {
  const Index x = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (x >= vectors) return;
  const Index source_x = job.axes.x ? vectors - 1 - x : x;
  for (Index row = blockIdx.y; row < job.rows; row += gridDim.y) {
    to[row * vectors + x] = reversed<pixel>(__ldg(from + source_row(job, row) * vectors + source_x));
  }
}

// Returns false if rows are not whole vectors, or vectors not whole pixels.
bool flip_vectors(const Context& ctx, const FlipJob& job, Index pixel, const void* from, void* to) {
  constexpr Index vector = sizeof(uint4);
  const auto is_whole = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % vector == 0; };
  const Index vectors = job.width * pixel / vector;
  if (vectors * vector != job.width * pixel || !is_whole(from) || !is_whole(to)) return false;
  const auto run = [&](auto kernel) {
    launch(ctx, "flip", kernel, {grid_of_rows(vectors, job.rows), loop_threads}, job, vectors,
           static_cast<const uint4*>(from), static_cast<uint4*>(to));
    return true;
  };
  if (!job.axes.x || pixel == vector) return run(flip_vectors_kernel<vector>);
  if (pixel == 1) return run(flip_vectors_kernel<1>);
  if (pixel == 2) return run(flip_vectors_kernel<2>);
  if (pixel == 4) return run(flip_vectors_kernel<4>);
  if (pixel == 8) return run(flip_vectors_kernel<8>);
  return false;
}

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to) {
  const Index rows = format.slices() * format.height;
  const FlipJob job{rows, format.depth, format.height, format.width, count_of(format.channels), axes};
  if (flip_vectors(ctx, job, job.channels * Index{sizeof(T)}, from, to)) return;
  if constexpr (sizeof(T) == 1) {
    constexpr Index word = 4;
    const auto in_words = [](const T* at) { return reinterpret_cast<std::uintptr_t>(at) % word == 0; };
    if (axes.x && job.channels == 3 && format.width % word == 0 && in_words(from) && in_words(to)) {
      launch(ctx, "flip", mirror_rgb_kernel, {grid_of_rows(format.width / word, rows), loop_threads}, job,
             reinterpret_cast<const unsigned*>(from), reinterpret_cast<unsigned*>(to));
      return;
    }
  }
  launch(ctx, "flip", flip_kernel<T>, {grid_of_rows(format.width, rows), loop_threads}, job, from, to);
}

}  // namespace

void register_flip() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::flip<T>.set(DeviceKind::cuda, flip<T>);
  });
}

}  // namespace whorl::backend::cuda
