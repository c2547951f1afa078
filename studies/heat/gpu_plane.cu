// The ladder of explicit steps on a GPU: what launches the kernels.
#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cuda/runtime.hpp"
#include "studies/heat/gpu_launch.cuh"
#include "studies/heat/gpu_plane.cuh"
#include "studies/heat/plane_steps.hpp"

namespace whorl::studies::heat {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

dim3 point_blocks(Index n) { return {blocks_for(n, block_x), blocks_for(n, block_y)}; }
constexpr dim3 point_threads{block_x, block_y};

/// Calls step(from, to) as often as the job has steps, and hands the last plane over.
template <class Step>
void in_turns(const Context& ctx, const PlaneJob& job, const Step& step) {
  Array<float> now = clone(ctx, job.first);
  Array<float> next(ctx, now.shape());
  for (Index done = 0; done < job.steps; ++done) {
    step(now.data(), next.data());
    check_launch("heat");
    std::swap(now, next);
  }
  copy<float>(ctx, now, job.last);
}

void edge_tests_double(const Context& ctx, const PlaneJob& job) {
  const Index count = job.n * job.n;
  Array<double> now(ctx, {count});
  Array<double> next(ctx, {count});
  convert(ctx, job.first.data(), now.data(), count);
  for (Index done = 0; done < job.steps; ++done) {
    edge_tests_kernel<double><<<point_blocks(job.n), point_threads, 0, stream_of(ctx)>>>(
        now.data(), next.data(), static_cast<int>(job.n), job.rate);
    check_launch("heat");
    std::swap(now, next);
  }
  convert(ctx, now.data(), job.last.data(), count);
}

void edge_tests_float(const Context& ctx, const PlaneJob& job) {
  in_turns(ctx, job, [&](const float* from, float* to) {
    edge_tests_kernel<float>
        <<<point_blocks(job.n), point_threads, 0, stream_of(ctx)>>>(from, to, static_cast<int>(job.n), job.rate);
  });
}

void index_table_gpu(const Context& ctx, const PlaneJob& job) {
  std::vector<int> neighbors(static_cast<std::size_t>(2 * job.n));
  for (Index i = 0; i < job.n; ++i) {
    neighbors[static_cast<std::size_t>(i)] = static_cast<int>((i + job.n - 1) % job.n);
    neighbors[static_cast<std::size_t>(job.n + i)] = static_cast<int>((i + 1) % job.n);
  }
  const Array<int> table = backend::cuda::upload<int>(ctx, neighbors);
  in_turns(ctx, job, [&](const float* from, float* to) {
    index_table_kernel<<<point_blocks(job.n), point_threads, 0, stream_of(ctx)>>>(
        from, to, table.data(), table.data() + job.n, static_cast<int>(job.n), job.rate);
  });
}

/// A plane of n + 2 rows without its margin, or back.
void copy_inner(const Context& ctx, const float* from, Index from_width, float* to, Index to_width, Index n) {
  const auto bytes = [](Index floats) { return static_cast<std::size_t>(floats) * sizeof(float); };
  check(cudaMemcpy2DAsync(to, bytes(to_width), from, bytes(from_width), bytes(n), static_cast<std::size_t>(n),
                          cudaMemcpyDeviceToDevice, stream_of(ctx)),
        "cudaMemcpy2DAsync");
}

void margin(const Context& ctx, const PlaneJob& job) {
  const Index n = job.n;
  const Index width = n + 2;
  Array<float> now(ctx, {width, width});
  Array<float> next(ctx, {width, width});
  fill<float>(ctx, now, 0);
  copy_inner(ctx, job.first.data(), n, now.data() + width + 1, width, n);
  const auto step = [&](float rate) {
    margin_kernel<<<point_blocks(n), point_threads, 0, stream_of(ctx)>>>(now.data(), next.data(), static_cast<int>(n),
                                                                         rate);
    check_launch("heat");
    std::swap(now, next);
  };
  step(0);  // the plane as it is, with its margin written
  for (Index done = 0; done < job.steps; ++done) step(job.rate);
  copy_inner(ctx, now.data() + width + 1, width, job.last.data(), n, n);
}

void shared_tile(const Context& ctx, const PlaneJob& job) {
  in_turns(ctx, job, [&](const float* from, float* to) {
    shared_tile_kernel<<<point_blocks(job.n), point_threads, 0, stream_of(ctx)>>>(from, to, static_cast<int>(job.n),
                                                                                  job.rate);
  });
}

void steps_of_a_tile(const Context& ctx, const PlaneJob& job) {
  Array<float> now = clone(ctx, job.first);
  Array<float> next(ctx, now.shape());
  const dim3 blocks(blocks_for(job.n, tile_x - 2 * most_at_once), blocks_for(job.n, tile_y - 2 * most_at_once));
  for (Index done = 0; done < job.steps; done += most_at_once) {
    const int here = static_cast<int>(std::min<Index>(most_at_once, job.steps - done));
    steps_of_a_tile_kernel<<<blocks, dim3(tile_x, columns_of_a_tile), 0, stream_of(ctx)>>>(
        now.data(), next.data(), static_cast<int>(job.n), job.rate, here);
    check_launch("heat");
    std::swap(now, next);
  }
  copy<float>(ctx, now, job.last);
}

}  // namespace

std::vector<PlaneStep> gpu_plane_steps() {
  return {{"GPU, edge tests, double", edge_tests_double}, {"edge tests, float", edge_tests_float},
          {"neighbors by table", index_table_gpu},        {"a margin around the plane", margin},
          {"tile in shared memory", shared_tile},         {"eight steps of a tile at once", steps_of_a_tile}};
}

}  // namespace whorl::studies::heat
