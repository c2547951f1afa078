// The median detail of an image, from the counts of bins: the same number as on a CPU.
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/denoise/non_local_means.hpp"

namespace whorl::backend::cuda {

namespace {

using Count = unsigned long long;

struct NoiseJob {
  Index squares, half_height, half_width, height, width;
  int channels;
};

__global__ void count_details(NoiseJob job, const float* __restrict__ image, Count* bins) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const Index row = job.width * job.channels;
  const Index half_row = job.half_width * job.channels;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < job.squares; i += stride) {
    const Index line = i / half_row;
    const Index at = i % half_row;
    const float* from = image + (line / job.half_height * job.height + line % job.half_height * 2) * row +
                        at / job.channels * 2 * job.channels + at % job.channels;
    atomicAdd(bins + kernels::noise_bin(from[0], from[job.channels], from[row], from[row + job.channels]), Count{1});
  }
}

constexpr int median_threads = 1024;

// One block: each thread sums a range of bins; the thread whose range contains the median searches for it.
__global__ void find_median(Index all, const Count* __restrict__ bins, float* sigma) {
  __shared__ Count sums[median_threads];
  constexpr int stretch = kernels::noise_bins / median_threads;
  const int first = static_cast<int>(threadIdx.x) * stretch;
  Count sum = 0;
  for (int i = first; i < first + stretch; ++i) sum += bins[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto total = static_cast<Count>(all);
  Count below = 0;
  int part = 0;
  while (part + 1 < median_threads && 2 * (below + sums[part]) < total) below += sums[part++];
  int bin = part * stretch;
  while (bin + 1 < kernels::noise_bins && 2 * (below + bins[bin]) < total) below += bins[bin++];
  *sigma = kernels::sigma_of_bin(bin);
}

void noise_sigma(const Context& ctx, const ImageFormat& format, const float* image, float* sigma) {
  const int channels = count_of(format.channels);
  const Index half_height = format.height / 2;
  const Index half_width = format.width / 2;
  const Index squares = format.slices() * half_height * half_width * channels;
  Array<Count> bins = zeros<Count>(ctx, {kernels::noise_bins});
  if (squares > 0) {
    launch_loop(ctx, "noise_sigma", count_details, squares,
                {squares, half_height, half_width, format.height, format.width, channels}, image, bins.data());
  }
  launch(ctx, "noise_sigma", find_median, {1, median_threads}, squares, bins.data(), sigma);
}

}  // namespace

void register_noise_sigma() { kernels::noise_sigma.set(DeviceKind::cuda, noise_sigma); }

}  // namespace whorl::backend::cuda
