// Explicit steps of diffusion, on an NVIDIA GPU. Which kernel makes which steps:
//
//   planes    diffusion_strips   groups of steps that a strip makes at once, in registers
//             step_planes        here: the remaining steps, several for a tile in shared memory
//   volumes   step_volumes       here: one step at a time
//
// Implicit steps along lines are in diffusion_lines.cu.
// Compiled without fused operations (CMakeLists.txt): the same bits as on a CPU.
#include <algorithm>
#include <utility>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/channels.hpp"
#include "filter/src/cuda/diffusion/diffusion_strips.hpp"
#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::backend::cuda {

namespace {

struct HeatStep {
  float rate;

  template <int Channels, int Neighbors>
  __device__ void operator()(const float (&u)[Channels], const float (&beside)[Neighbors][Channels],
                             float (&next)[Channels]) const {
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      float sum = (beside[0][c] + beside[1][c]) + (beside[2][c] + beside[3][c]);
      if constexpr (Neighbors > 4) sum += beside[4][c] + beside[5][c];
      next[c] = kernels::heat_update(rate, u[c], sum, static_cast<float>(Neighbors));
    }
  }
};

template <bool Exponential>
struct PeronaMalikStep {
  float rate;
  float inverse_square;

  template <int Channels, int Neighbors>
  __device__ void operator()(const float (&u)[Channels], const float (&beside)[Neighbors][Channels],
                             float (&next)[Channels]) const {
    float weights[Neighbors];
#pragma unroll
    for (int n = 0; n < Neighbors; ++n) {
      float square = 0;
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        const float difference = beside[n][c] - u[c];
        square += difference * difference;
      }
      weights[n] = kernels::conduction<Exponential>(square * inverse_square);
    }
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const auto flow = [&](int n) { return weights[n] * (beside[n][c] - u[c]); };
      float sum = (flow(0) + flow(1)) + (flow(2) + flow(3));
      if constexpr (Neighbors > 4) sum += flow(4) + flow(5);
      next[c] = u[c] + rate * sum;
    }
  }
};

// The number of steps of a block before it writes its tile. Each step loses one pixel at every side.
constexpr int steps_at_once = 4;
constexpr int tile_width = 64;
constexpr int tile_threads_y = 4;
// Two tiles of floats within the 48 KiB that every block may have.
template <int Channels>
constexpr int tile_height = (Channels == 1   ? 80
                             : Channels == 2 ? 40
                             : Channels == 3 ? 28
                                             : 20);

struct PlaneJob {
  Index width, height;
  Border border;
  int steps;
};

template <int Channels, class Step>
__global__ void __launch_bounds__(tile_width* tile_threads_y)
    step_planes(PlaneJob job, Step step, const float* __restrict__ from, float* __restrict__ to) {
  constexpr int rows = tile_height<Channels>;
  __shared__ float tiles[2][Channels][rows][tile_width];
  const Index left = blockIdx.x * Index{tile_width - 2 * steps_at_once} - steps_at_once;
  const Index top = blockIdx.y * Index{rows - 2 * steps_at_once} - steps_at_once;
  const Index plane = blockIdx.z * job.height * job.width * Channels;
  const int x = static_cast<int>(threadIdx.x);
  const kernels::Extended column = kernels::extended(job.border, left + x, job.width);
  for (int y = static_cast<int>(threadIdx.y); y < rows; y += tile_threads_y) {
    const kernels::Extended row = kernels::extended(job.border, top + y, job.height);
    const float sign = column.sign * row.sign;
    const float* pixel = from + plane + (row.index * job.width + column.index) * Channels;
#pragma unroll
    for (int c = 0; c < Channels; ++c) tiles[0][c][y][x] = sign == 0 ? 0 : sign * pixel[c];
  }
  __syncthreads();
  int now = 0;
  for (int done = 1; done <= job.steps; ++done) {
    if (x >= done && x < tile_width - done) {
      for (int y = done + static_cast<int>(threadIdx.y); y < rows - done; y += tile_threads_y) {
        float u[Channels];
        float beside[4][Channels];
        float next[Channels];
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
          u[c] = tiles[now][c][y][x];
          beside[0][c] = tiles[now][c][y][x - 1];
          beside[1][c] = tiles[now][c][y][x + 1];
          beside[2][c] = tiles[now][c][y - 1][x];
          beside[3][c] = tiles[now][c][y + 1][x];
        }
        step(u, beside, next);
#pragma unroll
        for (int c = 0; c < Channels; ++c) tiles[1 - now][c][y][x] = next[c];
      }
    }
    now = 1 - now;
    __syncthreads();
  }
  if (x < steps_at_once || x >= tile_width - steps_at_once || left + x >= job.width) return;
  for (int y = steps_at_once + static_cast<int>(threadIdx.y); y < rows - steps_at_once; y += tile_threads_y) {
    if (top + y >= job.height) break;
    float* pixel = to + plane + ((top + y) * job.width + left + x) * Channels;
#pragma unroll
    for (int c = 0; c < Channels; ++c) pixel[c] = tiles[now][c][y][x];
  }
}

struct VolumeJob {
  Index pixels, depth, height, width;
  Border border;
};

template <int Channels, class Step>
__global__ void step_volumes(VolumeJob job, Step step, const float* __restrict__ from, float* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index pixel = blockIdx.x * Index{blockDim.x} + threadIdx.x; pixel < job.pixels; pixel += stride) {
    const Index x = pixel % job.width;
    const Index y = pixel / job.width % job.height;
    const Index z = pixel / (job.width * job.height) % job.depth;
    float u[Channels];
    float beside[6][Channels];
    float next[Channels];
    const auto load = [&](Index at, Index n, int by, Index apart, float(&neighbor)[Channels]) {
      const Index found = border_index(job.border, at + by, n);
      const float* source = from + (pixel + (found - at) * apart) * Channels;
#pragma unroll
      for (int c = 0; c < Channels; ++c) neighbor[c] = found < 0 ? 0 : source[c];
    };
    load(x, job.width, 0, 1, u);
    load(x, job.width, -1, 1, beside[0]);
    load(x, job.width, 1, 1, beside[1]);
    load(y, job.height, -1, job.width, beside[2]);
    load(y, job.height, 1, job.width, beside[3]);
    load(z, job.depth, -1, job.width * job.height, beside[4]);
    load(z, job.depth, 1, job.width * job.height, beside[5]);
    step(u, beside, next);
#pragma unroll
    for (int c = 0; c < Channels; ++c) to[pixel * Channels + c] = next[c];
  }
}

template <int Channels, class Step>
void run_channels(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps, const Step& step,
                  Array<float>& image) {
  Array<float> next(ctx, image.shape());
  if (steps.volumes) {
    const Index pixels = format.slices() * format.height * format.width;
    const VolumeJob job{pixels, format.depth, format.height, format.width, steps.border};
    for (Index done = 0; done < steps.steps; ++done) {
      launch_loop(ctx, "diffusion", step_volumes<Channels, Step>, pixels, job, step, image.data(), next.data());
      std::swap(image, next);
    }
    return;
  }
  constexpr Index wide = tile_width - 2 * steps_at_once;
  constexpr Index high = tile_height<Channels> - 2 * steps_at_once;
  constexpr Index most_planes = 65535;
  const Index plane = format.height * format.row();
  for (Index done = 0; done < steps.steps; done += steps_at_once) {
    const int now = static_cast<int>(std::min<Index>(steps_at_once, steps.steps - done));
    for (Index slice = 0; slice < format.slices(); slice += most_planes) {
      const dim3 blocks = grid_of(divide_up(format.width, wide), divide_up(format.height, high),
                                  std::min(most_planes, format.slices() - slice));
      launch(ctx, "diffusion", step_planes<Channels, Step>, {blocks, dim3(tile_width, tile_threads_y)},
             {format.width, format.height, steps.border, now}, step, image.data() + slice * plane,
             next.data() + slice * plane);
    }
    std::swap(image, next);
  }
}

template <class Step>
void run_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps, const Step& step,
               Array<float>& image) {
  return with_channels(count_of(format.channels),
                       [&](auto channels) { return run_channels<channels>(ctx, format, steps, step, image); });
}

void heat_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                const kernels::HeatRule& rule, Array<float>& image) {
  kernels::ExplicitSteps rest = steps;
  if (!steps.volumes) rest.steps -= step_heat_strips(ctx, format, steps, rule, image);
  if (rest.steps > 0) run_steps(ctx, format, rest, HeatStep{rule.rate}, image);
}

void perona_malik_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                        const kernels::PeronaMalikRule& rule, Array<float>& image) {
  kernels::ExplicitSteps rest = steps;
  if (!steps.volumes) rest.steps -= step_perona_malik_strips(ctx, format, steps, rule, image);
  if (rest.steps == 0) return;
  if (rule.exponential) {
    run_steps(ctx, format, rest, PeronaMalikStep<true>{rule.rate, rule.inverse_square}, image);
  } else {
    run_steps(ctx, format, rest, PeronaMalikStep<false>{rule.rate, rule.inverse_square}, image);
  }
}

}  // namespace

void register_diffusion() {
  kernels::heat_steps.set(DeviceKind::cuda, heat_steps);
  kernels::perona_malik_steps.set(DeviceKind::cuda, perona_malik_steps);
}

}  // namespace whorl::backend::cuda
