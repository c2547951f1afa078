// Fine-grained, input-driven in three dimensions: a block for each sample, a thread for each of the 512 points of its
// window; atomic sums in global memory.
#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/volume.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using Complex = std::complex<float>;

constexpr int volume_threads = width * width * width;

struct ExactValue {
  float scale;
  __device__ float operator()(float square) const { return expf(scale * square); }
};

/// The table is read through the caches of global memory.
struct TableValue {
  const float* table;
  __device__ float operator()(float square) const { return table[entry_at(sqrtf(square))]; }
};

template <class Value>
__global__ void volume(const VolumeSample* samples, Value value, VolumeExtents extents, float2* grid) {
  const VolumeSample& sample = samples[blockIdx.x];
  const auto thread = static_cast<int>(threadIdx.x);
  const int x = first_point(sample.x) + thread % width;
  const int y = first_point(sample.y) + thread / width % width;
  const int z = first_point(sample.z) + thread / width / width;
  const float dx = static_cast<float>(x) - sample.x;
  const float dy = static_cast<float>(y) - sample.y;
  const float dz = static_cast<float>(z) - sample.z;
  const float weight = value(dx * dx + dy * dy + dz * dz);
  const Index plane = Index{wrapped(z, extents.z)} * extents.y;
  float2& point = grid[(plane + wrapped(y, extents.y)) * extents.x + wrapped(x, extents.x)];
  atomicAdd(&point.x, weight * sample.real);
  atomicAdd(&point.y, weight * sample.imag);
}

template <class Value>
void run(const Context& ctx, const VolumeProblem& problem, Value value, ArrayRef<Complex> grid) {
  fill<Complex>(ctx, grid, {});
  volume<<<static_cast<unsigned>(problem.samples.size()), volume_threads, 0, stream_of(ctx)>>>(
      problem.samples.data(), value, problem.grid, reinterpret_cast<float2*>(grid.data()));
  check_launch("volume");
}

}  // namespace

std::vector<VolumeStep> gpu_volume_steps() {
  return {{"input-driven, exp() at each point", Lookup::exact,
           [](const Context& ctx, const VolumeProblem& problem, ArrayRef<Complex> grid) {
             run(ctx, problem, ExactValue{static_cast<float>(-1 / problem.b)}, grid);
           }},
          {"input-driven, table of distances", Lookup::distance,
           [](const Context& ctx, const VolumeProblem& problem, ArrayRef<Complex> grid) {
             run(ctx, problem, TableValue{problem.table.data()}, grid);
           }}};
}

}  // namespace whorl::studies::gridding_2d
