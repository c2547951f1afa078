// The smallest or largest pixels of windows, on an NVIDIA GPU. The first kernel in this list that takes the windows is
// used:
//
//   3 x 3 of gray and RGB       morphology_three   a thread goes down a strip of rows, all in registers
//   one rectangle, not large    morphology_lines   a warp has a row of the window, a thread a column of it
//   windows that fit a tile     morphology_tiles   a tile in shared memory, for the rectangles of a disc
//   all others                  here               passes over the whole image, widened by doubling
//
// The first three do point operations in their load and store; for the last these are passes of their own.
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/edge_slice.cuh"
#include "filter/src/cuda/ends.cuh"
#include "filter/src/cuda/ordered/morphology_lines.hpp"
#include "filter/src/cuda/ordered/morphology_three.hpp"
#include "filter/src/cuda/ordered/morphology_tiles.hpp"
#include "filter/src/cuda/points/point_ends.hpp"
#include "filter/src/kernels/ordered/morphology.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Extremum;
using kernels::Ordered;
using kernels::PointEnds;
using kernels::Rectangle;

template <class Key>
__device__ Key extreme(Key a, Key b, Extremum which) {
  return which == Extremum::smallest ? min(a, b) : max(a, b);
}

// Slices with a margin as wide as the largest window reaches, in rows of `row` numbers.
struct Padded {
  Index slices, rows, row;
  Rectangle reach;
  Index count() const { return slices * rows * row; }
};

template <class T>
__global__ void pad(EdgeSlice<T> image, Padded padded, Ordered<T>* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const Index count = padded.slices * padded.rows * padded.row;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Index column = i % padded.row;
    const Index row = i / padded.row;
    const Index x = column / image.channels;
    to[i] =
        slice_of(image, row / padded.rows)
            .at(row % padded.rows - padded.reach.y, x - padded.reach.x, static_cast<int>(column - x * image.channels));
  }
}

// Numbers whose partner is beyond the end are not needed and do not change.
template <class Key>
__global__ void combine(Index count, Index distance, Extremum which, const Key* __restrict__ from,
                        Key* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    to[i] = i + distance < count ? extreme(from[i], from[i + distance], which) : from[i];
  }
}

template <class T>
__global__ void store(ImageFormat format, Padded padded, Rectangle rectangle, bool first, Extremum which,
                      const Ordered<T>* __restrict__ from, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const Index row = format.width * (padded.row / (format.width + 2 * padded.reach.x));
  const Index channels = row / format.width;
  const Index count = padded.slices * format.height * row;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Index column = i % row;
    const Index y = i / row % format.height;
    const Index slice = i / (row * format.height);
    const Ordered<T> key = from[(slice * padded.rows + y + padded.reach.y - rectangle.y) * padded.row + column +
                                (padded.reach.x - rectangle.x) * channels];
    to[i] = kernels::from_ordered<T>(first ? key : extreme(key, kernels::to_ordered(to[i]), which));
  }
}

template <class T>
__global__ void subtract_kernel(Index count, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    to[i] = static_cast<T>(a[i] - b[i]);
  }
}

// In one kernel with the operations at its ends. Returns false, and does nothing, if there is no such kernel.
template <class T>
bool extremum_with_ends(const Context& ctx, const ImageFormat& format, Extremum which,
                        const std::vector<Rectangle>& rectangles, kernels::Edge<T> edge, const PointEnds& ends,
                        const T* from, T* to) {
  const bool is_one = rectangles.size() == 1;
  if (is_one && rectangles[0].x == 1 && rectangles[0].y == 1 &&
      extremum_of_three_rows(ctx, format, which, edge, ends, from, to)) {
    return true;
  }
  if (is_one && window_extremum_by_lines(ctx, format, which, rectangles[0], edge, ends, from, to)) return true;
  return window_extremum_by_tiles(ctx, format, which, rectangles, edge, ends, from, to);
}

template <class T>
void window_extremum(const Context& ctx, const ImageFormat& format, Extremum which,
                     const std::vector<Rectangle>& rectangles, kernels::Edge<T> edge, const PointEnds& ends,
                     const void* pixels, void* result) {
  using Key = Ordered<T>;
  const T* const from = static_cast<const T*>(pixels);
  T* const to = static_cast<T*>(result);
  if (extremum_with_ends(ctx, format, which, rectangles, edge, ends, from, to)) return;
  if (ends.any()) {
    return in_passes<T, T>(ctx, format, ends, pixels, result, [&](const T* loaded, T* extrema) {
      window_extremum<T>(ctx, format, which, rectangles, edge, {}, loaded, extrema);
    });
  }
  const Index channels = count_of(format.channels);
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  Rectangle reach;
  for (const Rectangle& rectangle : rectangles) {
    reach = {std::max(reach.x, rectangle.x), std::max(reach.y, rectangle.y)};
  }
  const Padded padded{format.slices(), format.height + 2 * reach.y, (format.width + 2 * reach.x) * channels, reach};
  const Index count = padded.count();
  Array<Key> numbers(ctx, {count});
  Array<Key> work[2] = {Array<Key>(ctx, {count}), Array<Key>(ctx, {count})};
  launch_loop(ctx, "window_extremum", pad<T>, count, image, padded, numbers.data());
  for (const Rectangle& rectangle : rectangles) {
    const Key* latest = numbers.data();
    int turn = 0;
    // A window of 2^k numbers is the union of two of 2^(k - 1); the last step joins two that overlap.
    const auto widen = [&](Index side, Index step) {
      const auto take = [&](Index distance) {
        Key* next = work[turn].data();
        launch_loop(ctx, "window_extremum", combine<Key>, count, count, distance * step, which, latest, next);
        latest = next;
        turn = 1 - turn;
      };
      Index length = 1;
      for (; 2 * length <= side; length *= 2) take(length);
      if (length < side) take(side - length);
    };
    widen(2 * rectangle.x + 1, channels);
    widen(2 * rectangle.y + 1, padded.row);
    launch_loop(ctx, "window_extremum", store<T>, format.shape().size(), format, padded, rectangle,
                &rectangle == rectangles.data(), which, latest, to);
  }
}

template <class T>
void subtract(const Context& ctx, Index count, const T* a, const T* b, T* to) {
  launch_loop(ctx, "subtract", subtract_kernel<T>, count, count, a, b, to);
}

}  // namespace

void register_morphology() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::subtract<T>.set(DeviceKind::cuda, subtract<T>);
    kernels::window_extremum<T>.set(DeviceKind::cuda, window_extremum<T>);
  });
}

}  // namespace whorl::backend::cuda
