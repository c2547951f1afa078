// The bilateral filter. Compiled without fused operations (CMakeLists.txt): the same bits as on a CPU.
#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/denoise/bilateral.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int edge_length = 32;
constexpr int threads_y = 8;
constexpr int rows_per_thread = edge_length / threads_y;
constexpr int shared_floats = 48 * 1024 / sizeof(float);

template <class T>
struct Job {
  Index height, width;
  kernels::BilateralPlan plan;
  kernels::Edge<T> edge;
  int chunk;  ///< number of rows in shared memory at a time
};

// The sums of a thread for one pixel.
template <int Colors, int Channels>
struct Sums {
  float middle[Channels] = {};
  float sums[Channels] = {};
  float weights = 0;

  __device__ void add(const float* there, int plane, float value, float exponent) {
    float differences[Channels];
#pragma unroll
    for (int c = 0; c < Channels; ++c) differences[c] = there[c * plane] - middle[c];
    float distance = fabsf(differences[0]);
#pragma unroll
    for (int c = 1; c < Colors; ++c) distance = distance + fabsf(differences[c]);
    const float scaled = distance * value;
    const float weight = kernels::power_of_half(kernels::multiply_add(scaled, scaled, exponent));
    weights = weights + weight;
#pragma unroll
    for (int c = 0; c < Channels; ++c) sums[c] = kernels::multiply_add(weight, differences[c], sums[c]);
  }
};

// A block has a tile; the rows that its windows reach come into shared memory in chunks, from the top.
template <class T, int Colors, int Channels>
__global__ void __launch_bounds__(edge_length* threads_y)
    average_discs(Job<T> job, const T* __restrict__ from, T* __restrict__ to) {
  extern __shared__ float shared[];
  const int radius = job.plan.radius;
  const int side = 2 * radius + 1;
  const int wide = edge_length + 2 * radius;
  const int plane = job.chunk * wide;
  float* places = shared;
  int* reaches = reinterpret_cast<int*>(shared + side);
  float* rows = shared + 2 * side;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const Index left = blockIdx.x * Index{edge_length};
  const Index top = blockIdx.y * Index{edge_length};
  from += blockIdx.z * job.height * job.width * Channels;
  to += blockIdx.z * job.height * job.width * Channels;

  for (int i = ty * edge_length + tx; i < side; i += edge_length * threads_y) {
    places[i] = kernels::place_exponent(job.plan, i - radius);
    reaches[i] = kernels::disc_reach(radius, i - radius);
  }
  const Index column = left + tx;
  Sums<Colors, Channels> sums[rows_per_thread];
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const Index y = top + ty + r * threads_y;
    if (column >= job.width || y >= job.height) continue;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      sums[r].middle[c] = static_cast<float>(from[(y * job.width + column) * Channels + c]);
    }
  }
  for (int first = 0; first < wide; first += job.chunk) {
    const int last = min(first + job.chunk, wide);
    __syncthreads();
    for (int y = first + ty; y < last; y += threads_y) {
      const Index source_y = border_index(job.edge.border, top + y - radius, job.height);
      for (int x = tx; x < wide; x += edge_length) {
        const Index source_x = border_index(job.edge.border, left + x - radius, job.width);
        const bool outside = source_y < 0 || source_x < 0;
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
          rows[c * plane + (y - first) * wide + x] =
              static_cast<float>(outside ? job.edge.value : from[(source_y * job.width + source_x) * Channels + c]);
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      const int above = ty + r * threads_y;
      if (column >= job.width || top + above >= job.height) continue;
      for (int y = max(first, above); y < min(last, above + side); ++y) {
        const float* there = rows + (y - first) * wide + tx + radius;
        const int reach = reaches[y - above];
        const float place = places[y - above];
#pragma unroll 4
        for (int dx = -reach; dx <= reach; ++dx) {
          sums[r].add(there + dx, plane, job.plan.value, places[radius + dx] + place);
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const Index y = top + ty + r * threads_y;
    if (column >= job.width || y >= job.height) continue;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const float mean = sums[r].middle[c] + sums[r].sums[c] / sums[r].weights;
      T& target = to[(y * job.width + column) * Channels + c];
      if constexpr (std::is_same_v<T, float>) {
        target = mean;
      } else {
        target = static_cast<T>(static_cast<int>(mean + 0.5F));
      }
    }
  }
}

template <int Colors, int Channels, class T>
void run_channels(const Context& ctx, const ImageFormat& format, const kernels::BilateralPlan& plan,
                  kernels::Edge<T> edge, const T* from, T* to) {
  constexpr Index most_slices = 65535;
  const int wide = edge_length + 2 * plan.radius;
  const int tables = 2 * (2 * plan.radius + 1);
  const int chunk = std::min(wide, (shared_floats - tables) / (Channels * wide));
  const auto bytes = static_cast<std::size_t>(tables + chunk * Channels * wide) * sizeof(float);
  const Job<T> job{format.height, format.width, plan, edge, chunk};
  for (Index slice = 0; slice < format.slices(); slice += most_slices) {
    const dim3 blocks = grid_of(divide_up(format.width, edge_length), divide_up(format.height, edge_length),
                                std::min(most_slices, format.slices() - slice));
    const Index offset = slice * format.height * format.row();
    launch(ctx, "bilateral", average_discs<T, Colors, Channels>, {blocks, dim3(edge_length, threads_y), bytes}, job,
           from + offset, to + offset);
  }
}

template <class T>
void bilateral(const Context& ctx, const ImageFormat& format, const kernels::BilateralPlan& plan, kernels::Edge<T> edge,
               const T* from, T* to) {
  switch (count_of(format.channels)) {
    case 1:
      return run_channels<1, 1>(ctx, format, plan, edge, from, to);
    case 2:
      return run_channels<1, 2>(ctx, format, plan, edge, from, to);
    case 3:
      return run_channels<3, 3>(ctx, format, plan, edge, from, to);
    default:
      return run_channels<3, 4>(ctx, format, plan, edge, from, to);
  }
}

}  // namespace

void register_bilateral() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::bilateral<T>.set(DeviceKind::cuda, bilateral<T>);
  });
}

}  // namespace whorl::backend::cuda
