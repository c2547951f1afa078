// Several explicit steps at once in the registers of a warp, which goes down a strip of a plane. It holds two rows of
// each step. A new input row completes the row above it in the first step; this row completes the row above it in the
// second step, and so on. Neighbors in other lanes come by shuffles. Compiled without fused operations
// (CMakeLists.txt): the same bits as on a CPU.
#include "filter/src/cuda/diffusion/diffusion_strips.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/channels.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int warp_threads = 32;
constexpr int block_warps = 4;
constexpr int blocks_at_once = 4;  // on a multiprocessor; their registers limit it
constexpr unsigned all_lanes = 0xFFFFFFFF;

template <int Channels>
constexpr int lane_pixels = (Channels == 1 ? 4 : 2);
// A strip loses one pixel at its sides in each step.
template <int Channels, class Step>
constexpr int strip_width = (warp_threads * lane_pixels<Channels> - 2 * Step::template at_once<Channels>);

struct StripJob {
  Index width, height;
  Border border;
  Index rows;    // of a warp
  bool vectors;  // the pixels of each lane inside the image are aligned to vectors
};

// A lane's part of a row, as vectors in memory.
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

// The places of a lane's pixels in a row, and of rows in the plane.
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

// The number of the pixel beside, of the same channel.
template <int Channels>
__device__ float left_of(const LaneRow<Channels>& row, int i) {
  constexpr int floats = LaneRow<Channels>::floats;
  return i < Channels ? __shfl_up_sync(all_lanes, row.values[floats - Channels + i], 1) : row.values[i - Channels];
}
template <int Channels>
__device__ float right_of(const LaneRow<Channels>& row, int i) {
  constexpr int last = LaneRow<Channels>::floats - Channels;
  return i >= last ? __shfl_down_sync(all_lanes, row.values[i - last], 1) : row.values[i + Channels];
}

// Both take the next input row and return the row above it after a step.
struct HeatStep {
  float rate;

  // Two rows of each step must fit into registers.
  template <int Channels>
  static constexpr int at_once = (Channels < 3    ? 8
                                  : Channels == 3 ? 6
                                                  : 4);
  template <int Channels>
  struct Rows {
    LaneRow<Channels> last[2];  // the last two input rows, in turn
  };

  template <int Channels>
  __device__ LaneRow<Channels> operator()(Rows<Channels>& rows, int odd, const LaneRow<Channels>& below) const {
    const LaneRow<Channels>& above = rows.last[odd];
    const LaneRow<Channels>& here = rows.last[1 - odd];
    LaneRow<Channels> result;
#pragma unroll
    for (int i = 0; i < LaneRow<Channels>::floats; ++i) {
      const float sum = (left_of(here, i) + right_of(here, i)) + (above.values[i] + below.values[i]);
      // As kernels::heat_update: a product by 4 is exact.
      result.values[i] = here.values[i] + rate * fmaf(-4, here.values[i], sum);
    }
    rows.last[odd] = below;
    return result;
  }
};

// The flow out of one pixel is the flow into its neighbor with the other sign, to the last bit, so two flows per pixel
// are computed.
template <bool Exponential>
struct PeronaMalikStep {
  float rate;
  float inverse_square;

  // More steps would read less, but a step has many instructions, and pixels that are computed twice cost time.
  template <int Channels>
  static constexpr int at_once = 4;
  template <int Channels>
  struct Rows {
    LaneRow<Channels> here;
    LaneRow<Channels> flow;  // from this row into the row above
  };

  // From `beside` into `pixel`.
  template <int Channels>
  __device__ void flow_of(const float* pixel, const float* beside, float* flow) const {
    float square = 0;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      flow[c] = beside[c] - pixel[c];
      square += flow[c] * flow[c];
    }
    const float weight = kernels::conduction<Exponential>(square * inverse_square);
#pragma unroll
    for (int c = 0; c < Channels; ++c) flow[c] *= weight;
  }

  template <int Channels>
  __device__ LaneRow<Channels> operator()(Rows<Channels>& rows, int, const LaneRow<Channels>& below) const {
    constexpr int floats = LaneRow<Channels>::floats;
    LaneRow<Channels> from_right;
    LaneRow<Channels> from_below;
#pragma unroll
    for (int i = 0; i < floats; i += Channels) {
      float right[Channels];
#pragma unroll
      for (int c = 0; c < Channels; ++c) right[c] = right_of(rows.here, i + c);
      flow_of<Channels>(rows.here.values + i, right, from_right.values + i);
      flow_of<Channels>(rows.here.values + i, below.values + i, from_below.values + i);
    }
    LaneRow<Channels> result;
#pragma unroll
    for (int i = 0; i < floats; ++i) {
      const float sum = (from_right.values[i] - left_of(from_right, i)) + (from_below.values[i] - rows.flow.values[i]);
      result.values[i] = rows.here.values[i] + rate * sum;
    }
    rows = {below, from_below};
    return result;
  }
};

template <int Channels, class Step>
__global__ void __launch_bounds__(warp_threads* block_warps, blocks_at_once)
    step_strips(StripJob job, Step make_step, const float* __restrict__ from, float* __restrict__ to) {
  constexpr int steps = Step::template at_once<Channels>;
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
  const LanePlace<Channels> place(job, blockIdx.x * Index{strip_width<Channels, Step>} - steps + lane * pixels);
  const bool stores = lane >= beyond && lane < warp_threads - beyond;
  // Besides the rows of each step, two rows are being loaded.
  typename Step::template Rows<Channels> rows[steps] = {};
  LaneRow<Channels> coming[2] = {place.load(from, first - steps), place.load(from, first - steps + 1)};
  // The first results of each step are not used, because they would need earlier input rows.
  for (Index y = first - steps; y < last + steps; y += 2) {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      LaneRow<Channels> row = coming[odd];
      coming[odd] = place.load(from, y + odd + 2);
#pragma unroll
      for (int step = 0; step < steps; ++step) row = make_step(rows[step], odd, row);
      const Index out = y + odd - steps;
      if (stores && out >= first && out < last) place.store(row, to, out);
    }
  }
}

// The number of rows of a warp: such that all blocks run at once if possible, and not much more is read than written.
Index rows_of_warp(const Context& ctx, Index height, Index strips) {
  constexpr Index fewest = 8;
  constexpr Index most = 256;
  const Index blocks = properties_of(ctx).multiProcessorCount * Index{blocks_at_once};
  const Index pieces = std::max<Index>(blocks / strips, 1) * block_warps;
  return std::clamp(divide_up(height, pieces), fewest, most);
}

template <int Channels, class Step>
Index run_channels(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps, const Step& step,
                   Array<float>& image) {
  constexpr Index at_once = Step::template at_once<Channels>;
  if (steps.steps < at_once || format.row() > std::numeric_limits<int>::max()) return 0;
  constexpr Index wide = strip_width<Channels, Step>;
  constexpr Index most_planes = 65535;
  constexpr Index vector_floats = LaneRow<Channels>::together;
  const Index strips = divide_up(format.width, wide);
  const Index planes = std::min(most_planes, format.slices());
  const Index rows = rows_of_warp(ctx, format.height, strips * planes);
  const Index pieces = divide_up(format.height, rows * block_warps);
  const Index plane = format.height * format.row();
  Array<float> next(ctx, image.shape());
  // Strips begin at multiples of a lane's pixels, which are whole vectors of floats.
  const auto aligned = [&](const float* data) {
    return reinterpret_cast<std::uintptr_t>(data) % (vector_floats * sizeof(float)) == 0;
  };
  const bool vectors = format.row() % vector_floats == 0 && aligned(image.data()) && aligned(next.data());
  Index done = 0;
  for (; done + at_once <= steps.steps; done += at_once) {
    for (Index slice = 0; slice < format.slices(); slice += planes) {
      const dim3 blocks = grid_of(strips, pieces, std::min(planes, format.slices() - slice));
      launch(ctx, "diffusion", step_strips<Channels, Step>, {blocks, dim3(warp_threads, block_warps)},
             {format.width, format.height, steps.border, rows, vectors}, step, image.data() + slice * plane,
             next.data() + slice * plane);
    }
    std::swap(image, next);
  }
  return done;
}

template <class Step>
Index run(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps, const Step& step,
          Array<float>& image) {
  return with_channels(count_of(format.channels),
                       [&](auto channels) { return run_channels<channels>(ctx, format, steps, step, image); });
}

}  // namespace

Index step_heat_strips(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                       const kernels::HeatRule& rule, Array<float>& image) {
  return run(ctx, format, steps, HeatStep{rule.rate}, image);
}

Index step_perona_malik_strips(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                               const kernels::PeronaMalikRule& rule, Array<float>& image) {
  if (rule.exponential) {
    return run(ctx, format, steps, PeronaMalikStep<true>{rule.rate, rule.inverse_square}, image);
  }
  return run(ctx, format, steps, PeronaMalikStep<false>{rule.rate, rule.inverse_square}, image);
}

}  // namespace whorl::backend::cuda
