#include "backend/cuda/filter/flip.hpp"
#include "backend/cuda/filter/rows.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

struct FlipJob {
  Index rows, depth, height, width;
  int channels;
  kernels::FlippedAxes axes;
};

// The row of the source, of those of all slices, that becomes row `row`.
__device__ Index source_row(const FlipJob& job, Index row) {
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

}  // namespace

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to) {
  const Index rows = format.slices() * format.height;
  const FlipJob job{rows, format.depth, format.height, format.width, count_of(format.channels), axes};
  if constexpr (sizeof(T) == 1) {
    constexpr Index word = 4;
    const auto in_words = [](const T* at) { return reinterpret_cast<std::uintptr_t>(at) % word == 0; };
    if (axes.x && job.channels == 3 && format.width % word == 0 && in_words(from) && in_words(to)) {
      mirror_rgb_kernel<<<grid_of_rows(format.width / word, rows), loop_threads, 0, stream_of(ctx)>>>(
          job, reinterpret_cast<const unsigned*>(from), reinterpret_cast<unsigned*>(to));
      check_launch("flip");
      return;
    }
  }
  flip_kernel<T><<<grid_of_rows(format.width, rows), loop_threads, 0, stream_of(ctx)>>>(job, from, to);
  check_launch("flip");
}

#define WHORL_INSTANTIATE(T) template void flip(const Context&, const ImageFormat&, kernels::FlippedAxes, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
