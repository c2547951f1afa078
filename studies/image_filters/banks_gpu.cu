// Three layouts of a tile of pixels in shared memory. The report expected four conflicts where a thread reads the bytes
// of one word, and none where it reads four words. A word is read as a whole whichever byte is wanted, and neighbors read
// neighboring words; four words a pixel put every eighth pixel of a row into the same bank.
#include "studies/image_filters/banks.hpp"
#include "studies/image_filters/gpu_launch.cuh"

namespace whorl::studies::image_filters {

namespace {

constexpr int mean_radius = 3;
constexpr int tile_width = 32 + 2 * mean_radius;
constexpr int tile_height = 8 + 2 * mean_radius;
constexpr int tile_pixels = tile_width * tile_height;

// Reads are volatile: each of them goes to shared memory, as a channel and not as a whole pixel.
struct PackedBytes {
  static constexpr int bytes = 4 * tile_pixels;
  static __device__ void put(void* tile, int pixel, int channel, Byte level) {
    static_cast<Byte*>(tile)[4 * pixel + channel] = level;
  }
  static __device__ int get(const void* tile, int pixel, int channel) {
    return static_cast<const volatile Byte*>(tile)[4 * pixel + channel];
  }
};

struct FourWords {
  static constexpr int bytes = 16 * tile_pixels;
  static __device__ void put(void* tile, int pixel, int channel, Byte level) {
    static_cast<int*>(tile)[4 * pixel + channel] = level;
  }
  static __device__ int get(const void* tile, int pixel, int channel) {
    return static_cast<const volatile int*>(tile)[4 * pixel + channel];
  }
};

struct PlanesOfWords {
  static constexpr int bytes = 12 * tile_pixels;
  static __device__ void put(void* tile, int pixel, int channel, Byte level) {
    static_cast<int*>(tile)[channel * tile_pixels + pixel] = level;
  }
  static __device__ int get(const void* tile, int pixel, int channel) {
    return static_cast<const volatile int*>(tile)[channel * tile_pixels + pixel];
  }
};

template <class Layout>
__global__ void mean_of_window(Job job) {
  __shared__ int tile[Layout::bytes / sizeof(int)];
  const int left = static_cast<int>(blockIdx.x * blockDim.x) - mean_radius;
  const int top = static_cast<int>(blockIdx.y * blockDim.y) - mean_radius;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); i < tile_pixels; i += threads) {
    // Blocks may reach over the right and lower edge by more than the picture is large; nobody uses those pixels.
    const int x = min(wrapped(min(left + i % tile_width, job.width + mean_radius), job.width), job.width - 1);
    const int y = min(wrapped(min(top + i / tile_width, job.height + mean_radius), job.height), job.height - 1);
    const Byte* const pixel = job.from + 3 * (Index{y} * job.width + x);
    for (int channel = 0; channel < 3; ++channel) Layout::put(tile, i, channel, pixel[channel]);
  }
  __syncthreads();
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  int sums[3] = {};
  for (int j = 0; j <= 2 * mean_radius; ++j) {
    const int row = (static_cast<int>(threadIdx.y) + j) * tile_width + static_cast<int>(threadIdx.x);
    for (int i = 0; i <= 2 * mean_radius; ++i) {
#pragma unroll
      for (int channel = 0; channel < 3; ++channel) sums[channel] += Layout::get(tile, row + i, channel);
    }
  }
  constexpr int taps = (2 * mean_radius + 1) * (2 * mean_radius + 1);
  Byte* const to = job.to + 3 * (Index{y} * job.width + x);
  for (int channel = 0; channel < 3; ++channel) to[channel] = static_cast<Byte>((sums[channel] + taps / 2) / taps);
}

template <class Layout>
void run_means(const Context& ctx, const Job& job) {
  mean_of_window<Layout><<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job);
  check_launch("mean_of_window");
}

}  // namespace

std::vector<Step> bank_steps() {
  return {{"four bytes a pixel", run_means<PackedBytes>, said("four conflicts")},
          {"four words a pixel", run_means<FourWords>, said("no conflict")},
          {"a plane of words for each channel", run_means<PlanesOfWords>, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
