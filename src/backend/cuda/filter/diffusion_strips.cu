// Explicit steps of heat, several at once in the registers of a warp, which walks down a strip of a plane. Of each step
// it holds two rows; a row that comes in gives the row above it of the first step, that the one above of the second,
// and so on. Neighbors beside each other in another lane come by shuffles. Compiled without fused operations
// (CMakeLists.txt): the same bits as on a CPU.
#include "backend/cuda/filter/diffusion_strips.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int warp_threads = 32;
constexpr int block_warps = 4;
constexpr int blocks_at_once = 4;  // of a processor, by their registers
constexpr unsigned all_lanes = 0xFFFFFFFF;

// Pixels of a lane, and steps at once, each with one pixel less at the strip's sides: two rows of floats of each step
// are to fit into registers.
template <int Channels>
constexpr int lane_pixels = (Channels == 1 ? 4 : 2);
template <int Channels>
constexpr int strip_steps = (Channels < 3    ? 8
                             : Channels == 3 ? 6
                                             : 4);
template <int Channels>
constexpr int strip_width = (warp_threads * lane_pixels<Channels> - 2 * strip_steps<Channels>);

struct StripJob {
  Index width, height;
  Border border;
  Index rows;    // of a warp
  bool vectors;  // a lane's pixels within the image lie at a multiple of a vector
  float rate;
};

// What a lane has of a row, as vectors in memory.
template <int Channels>
struct LaneRow {
  static constexpr int floats = lane_pixels<Channels> * Channels;
  static constexpr int together = (floats % 4 == 0 ? 4 : 2);
  struct alignas(together * sizeof(float)) Vector {
    float values[together];
  };
  float values[floats];

  __device__ void load_vectors(const float* from) {
#pragma unroll
    for (int i = 0; i < floats; i += together) {
      const Vector vector = *reinterpret_cast<const Vector*>(from + i);
#pragma unroll
      for (int j = 0; j < together; ++j) values[i + j] = vector.values[j];
    }
  }
  __device__ void store_vectors(float* to) const {
#pragma unroll
    for (int i = 0; i < floats; i += together) {
      Vector vector;
#pragma unroll
      for (int j = 0; j < together; ++j) vector.values[j] = values[i + j];
      *reinterpret_cast<Vector*>(to + i) = vector;
    }
  }
};

// Where a lane's pixels are found in a row, and the rows in the plane.
template <int Channels>
class LanePlace {
 public:
  __device__ LanePlace(const StripJob& job, Index x)
      : border_(job.border),
        width_(static_cast<int>(job.width)),
        height_(job.height),
        x_(static_cast<int>(x)),
        whole_(job.vectors && x >= 0) {
#pragma unroll
    for (int p = 0; p < pixels; ++p) {
      const kernels::Extended column = kernels::extended(job.border, x + p, job.width);
      columns_[p] = static_cast<int>(column.index) * Channels;
      signs_[p] = column.sign;
      whole_ = whole_ && x + p < job.width;
    }
  }

  __device__ LaneRow<Channels> load(const float* plane, Index y) const {
    const kernels::Extended row = kernels::extended(border_, y, height_);
    const float* from = plane + row.index * width_ * Channels;
    LaneRow<Channels> result;
    if (whole_) {
      result.load_vectors(from + x_ * Channels);
#pragma unroll
      for (float& value : result.values) value = row.sign == 0 ? 0 : row.sign * value;
      return result;
    }
#pragma unroll
    for (int p = 0; p < pixels; ++p) {
      const float sign = row.sign * signs_[p];
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        const float value = from[columns_[p] + c];
        result.values[p * Channels + c] = sign == 0 ? 0 : sign * value;
      }
    }
    return result;
  }

  __device__ void store(const LaneRow<Channels>& row, float* plane, Index y) const {
    float* to = plane + (y * width_ + x_) * Channels;
    if (whole_) return row.store_vectors(to);
#pragma unroll
    for (int p = 0; p < pixels; ++p) {
      if (x_ + p >= width_) return;
#pragma unroll
      for (int c = 0; c < Channels; ++c) to[p * Channels + c] = row.values[p * Channels + c];
    }
  }

 private:
  static constexpr int pixels = lane_pixels<Channels>;
  Border border_;
  int width_;
  Index height_;
  int x_;
  bool whole_;
  int columns_[pixels];
  float signs_[pixels];
};

template <int Channels>
__device__ LaneRow<Channels> stepped(float rate, const LaneRow<Channels>& above, const LaneRow<Channels>& here,
                                     const LaneRow<Channels>& below) {
  constexpr int floats = LaneRow<Channels>::floats;
  LaneRow<Channels> result;
#pragma unroll
  for (int i = 0; i < floats; ++i) {
    const float left = i < Channels ? __shfl_up_sync(all_lanes, here.values[floats - Channels + i], 1)
                                    : here.values[i < Channels ? 0 : i - Channels];
    const bool last = i >= floats - Channels;
    const float right = last ? __shfl_down_sync(all_lanes, here.values[last ? i - (floats - Channels) : 0], 1)
                             : here.values[last ? 0 : i + Channels];
    const float sum = (left + right) + (above.values[i] + below.values[i]);
    // As kernels::heat_update: a product by 4 is exact.
    result.values[i] = here.values[i] + rate * fmaf(-4, here.values[i], sum);
  }
  return result;
}

template <int Channels>
__global__ void __launch_bounds__(warp_threads* block_warps, blocks_at_once)
    step_strips(StripJob job, const float* __restrict__ from, float* __restrict__ to) {
  constexpr int steps = strip_steps<Channels>;
  constexpr int pixels = lane_pixels<Channels>;
  constexpr int beyond = steps / pixels;  // lanes at a side
  static_assert(steps % pixels == 0 && steps % 2 == 0);
  const int lane = static_cast<int>(threadIdx.x);
  const Index first = (blockIdx.y * Index{block_warps} + threadIdx.y) * job.rows;
  if (first >= job.height) return;
  const Index last = min(first + job.rows, job.height);
  const Index plane = blockIdx.z * job.height * job.width * Channels;
  from += plane;
  to += plane;
  const LanePlace<Channels> place(job, blockIdx.x * Index{strip_width<Channels>} - steps + lane * pixels);
  const bool stores = lane >= beyond && lane < warp_threads - beyond;
  // Two rows of what goes into each step, and two that are on their way.
  LaneRow<Channels> rows[steps][2] = {};
  LaneRow<Channels> coming[2] = {place.load(from, first - steps), place.load(from, first - steps + 1)};
  // The first rows of each step that come out are of no use: they would need rows above those that came in.
  for (Index y = first - steps; y < last + steps; y += 2) {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      LaneRow<Channels> row = coming[odd];
      coming[odd] = place.load(from, y + odd + 2);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        const LaneRow<Channels> next = stepped(job.rate, rows[step][odd], rows[step][1 - odd], row);
        rows[step][odd] = row;
        row = next;
      }
      const Index out = y + odd - steps;
      if (stores && out >= first && out < last) place.store(row, to, out);
    }
  }
}

// Rows of a warp: such that all blocks run at once where that is possible, and not much more is read than written.
Index rows_of_warp(const Context& ctx, Index height, Index strips) {
  constexpr Index fewest = 8;
  constexpr Index most = 256;
  const Index blocks = properties_of(ctx).multiProcessorCount * Index{blocks_at_once};
  const Index pieces = std::max<Index>(blocks / strips, 1) * block_warps;
  return std::clamp((height + pieces - 1) / pieces, fewest, most);
}

template <int Channels>
Index run(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
          const kernels::HeatRule& rule, Array<float>& image) {
  if (steps.steps < strip_steps<Channels> || format.row() > std::numeric_limits<int>::max()) return 0;
  constexpr Index wide = strip_width<Channels>;
  constexpr Index most_planes = 65535;
  constexpr Index vector_floats = LaneRow<Channels>::together;
  const Index strips = (format.width + wide - 1) / wide;
  const Index planes = std::min(most_planes, format.slices());
  const Index rows = rows_of_warp(ctx, format.height, strips * planes);
  const Index pieces = (format.height + rows * block_warps - 1) / (rows * block_warps);
  const Index plane = format.height * format.row();
  Array<float> next(ctx, image.shape());
  // Strips begin at multiples of a lane's pixels, whose floats are whole vectors.
  const auto aligned = [&](const float* data) {
    return reinterpret_cast<std::uintptr_t>(data) % (vector_floats * sizeof(float)) == 0;
  };
  const bool vectors = format.row() % vector_floats == 0 && aligned(image.data()) && aligned(next.data());
  Index done = 0;
  for (; done + strip_steps<Channels> <= steps.steps; done += strip_steps<Channels>) {
    for (Index slice = 0; slice < format.slices(); slice += planes) {
      const dim3 blocks(static_cast<unsigned>(strips), static_cast<unsigned>(pieces),
                        static_cast<unsigned>(std::min(planes, format.slices() - slice)));
      step_strips<Channels><<<blocks, dim3(warp_threads, block_warps), 0, stream_of(ctx)>>>(
          {format.width, format.height, steps.border, rows, vectors, rule.rate}, image.data() + slice * plane,
          next.data() + slice * plane);
      check_launch("diffusion");
    }
    std::swap(image, next);
  }
  return done;
}

}  // namespace

Index step_heat_strips(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                       const kernels::HeatRule& rule, Array<float>& image) {
  switch (count_of(format.channels)) {
    case 1:
      return run<1>(ctx, format, steps, rule, image);
    case 2:
      return run<2>(ctx, format, steps, rule, image);
    case 3:
      return run<3>(ctx, format, steps, rule, image);
    default:
      return run<4>(ctx, format, steps, rule, image);
  }
}

}  // namespace whorl::backend::cuda
