// Non-local means. Compiled without fused operations (CMakeLists.txt): the same bits as on a CPU.
#include "filter/src/kernels/denoise/non_local_means.hpp"

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/channels.hpp"

namespace whorl::backend::cuda {

namespace {

struct PadJob {
  Index pixels, height, width, padded_height, padded_width, reach;
  int channels;
  Border border;
  float border_value;
};

// [slice, channel, y, x], padded by as much as searches and patches reach beyond the edges.
__global__ void pad_planes(PadJob job, const float* __restrict__ from, float* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < job.pixels; i += stride) {
    const Index x = border_index(job.border, i % job.padded_width - job.reach, job.width);
    const Index y = border_index(job.border, i / job.padded_width % job.padded_height - job.reach, job.height);
    const Index plane = i / (job.padded_width * job.padded_height);
    const Index slice = plane / job.channels;
    const Index c = plane % job.channels;
    to[i] = x < 0 || y < 0 ? job.border_value : from[((slice * job.height + y) * job.width + x) * job.channels + c];
  }
}

constexpr int edge = 32;
constexpr int threads_y = 8;
constexpr int rows_per_thread = edge / threads_y;

// A block has a tile. For each shift it computes the squared differences of the tile and of the margin for patches, and
// sums them along rows; then each thread sums along the columns of its pixels.
template <int Channels>
__global__ void __launch_bounds__(edge* threads_y)
    average_patches(kernels::NonLocalMeans job, Index height, Index width, const float* __restrict__ sigma,
                    const float* __restrict__ padded, float* __restrict__ to) {
  extern __shared__ float shared[];
  const int patch = static_cast<int>(job.patch);
  const int side = 2 * patch + 1;
  const int wide = edge + 2 * patch;
  float* squares = shared;
  float* sums = shared + wide * wide;
  const Index reach = job.search + job.patch;
  const Index stride = width + 2 * reach;
  const Index plane = (height + 2 * reach) * stride;
  const float scale = kernels::weight_scale(job, *sigma, Channels);
  const float bias = kernels::rician_bias(*sigma);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const Index left = blockIdx.x * Index{edge};
  const Index top = blockIdx.y * Index{edge};
  const float* image = padded + blockIdx.z * plane * Channels;
  float weights[rows_per_thread] = {};
  float means[rows_per_thread][Channels] = {};
  for (Index dy = -job.search; dy <= job.search; ++dy) {
    for (Index dx = -job.search; dx <= job.search; ++dx) {
      const Index shift = dy * stride + dx;
      for (int y = ty; y < wide; y += threads_y) {
        // Pixels below and to the right of the image are not needed.
        if (top + y >= height + 2 * patch) break;
        for (int x = tx; x < wide; x += edge) {
          if (left + x >= width + 2 * patch) break;
          const float* here = image + (top + y + job.search) * stride + left + x + job.search;
          float square = 0;
#pragma unroll
          for (int c = 0; c < Channels; ++c) {
            const float difference = here[c * plane] - here[c * plane + shift];
            square = c == 0 ? difference * difference : square + difference * difference;
          }
          squares[y * wide + x] = square;
        }
      }
      __syncthreads();
      for (int y = ty; y < wide; y += threads_y) {
        const float* row = squares + y * wide + tx;
        float sum = row[0];
        for (int k = 1; k < side; ++k) sum = sum + row[k];
        sums[y * edge + tx] = sum;
      }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        const int y = ty + r * threads_y;
        if (top + y >= height || left + tx >= width) continue;
        const float* column = sums + y * edge + tx;
        float distance = column[0];
        for (int k = 1; k < side; ++k) distance = distance + column[k * edge];
        const float weight = kernels::exp_minus(distance * scale);
        weights[r] = weights[r] + weight;
        const float* there = image + (top + y + reach) * stride + left + tx + reach + shift;
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
          const float value = there[c * plane];
          means[r][c] = means[r][c] + weight * (job.rician ? value * value : value);
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const int y = ty + r * threads_y;
    if (top + y >= height || left + tx >= width) continue;
    float* pixel = to + ((blockIdx.z * height + top + y) * width + left + tx) * Channels;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const float mean = means[r][c] / weights[r];
      const float unbiased = mean - bias;
      pixel[c] = !job.rician ? mean : unbiased > 0 ? sqrtf(unbiased) : 0.0F;
    }
  }
}

template <int Channels>
void run_channels(const Context& ctx, const ImageFormat& format, const kernels::NonLocalMeans& job, const float* sigma,
                  const float* padded, Index padded_slice, float* to) {
  constexpr Index most_planes = 65535;
  const Index wide = edge + 2 * job.patch;
  const auto bytes = static_cast<std::size_t>(wide * (wide + edge)) * sizeof(float);
  for (Index slice = 0; slice < format.slices(); slice += most_planes) {
    const dim3 blocks = grid_of(divide_up(format.width, edge), divide_up(format.height, edge),
                                std::min(most_planes, format.slices() - slice));
    launch(ctx, "non_local_means", average_patches<Channels>, {blocks, dim3(edge, threads_y), bytes}, job,
           format.height, format.width, sigma, padded + slice * padded_slice,
           to + slice * format.height * format.row());
  }
}

void non_local_means(const Context& ctx, const ImageFormat& format, const kernels::NonLocalMeans& job,
                     const float* sigma, const float* from, float* to) {
  const Index reach = job.search + job.patch;
  const int channels = count_of(format.channels);
  const Index high = format.height + 2 * reach;
  const Index wide = format.width + 2 * reach;
  const Index slice = high * wide * channels;
  Array<float> padded(ctx, {format.slices(), slice});
  launch_loop(ctx, "non_local_means", pad_planes, padded.size(),
              {padded.size(), format.height, format.width, high, wide, reach, channels, job.border, job.border_value},
              from, padded.data());
  with_channels(channels, [&](auto known) { run_channels<known>(ctx, format, job, sigma, padded.data(), slice, to); });
}

}  // namespace

void register_non_local_means() { kernels::non_local_means.set(DeviceKind::cuda, non_local_means); }

}  // namespace whorl::backend::cuda
