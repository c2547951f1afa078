// The kernels that divide samples or points among threads: what launches them.
#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/gpu/launches.hpp"
#include "studies/gridding_2d/gpu/naive.cuh"
#include "studies/gridding_2d/gpu/search.cuh"
#include "studies/gridding_2d/gpu/split_grid.cuh"
#include "studies/gridding_2d/gpu/table.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

int count_of(const Problem& problem) { return static_cast<int>(problem.samples.size()); }
unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }
float scale_of(const Problem& problem) { return static_cast<float>(-1 / problem.b); }
const float4* aligned(const Array<Sample>& samples) { return reinterpret_cast<const float4*>(samples.data()); }

}  // namespace

void run_naive(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  naive<<<blocks_for(count_of(problem), 1), window_threads, 0, stream_of(ctx)>>>(
      problem.samples.data(), scale_of(problem), problem.grid, reinterpret_cast<float2*>(grid.data()));
  check_launch("naive");
}

void run_cached_samples(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  cached_samples<<<blocks_for(count_of(problem), run_samples), window_threads, 0, stream_of(ctx)>>>(
      problem.samples.data(), count_of(problem), scale_of(problem), problem.grid,
      reinterpret_cast<float2*>(grid.data()));
  check_launch("cached_samples");
}

void run_split_grid(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  split_grid<<<blocks_for(count_of(problem), run_samples), window_threads, 0, stream_of(ctx)>>>(
      aligned(problem.samples), count_of(problem), scale_of(problem), problem.grid, grid.data(),
      grid.data() + problem.grid.points());
  check_launch("split_grid");
}

void run_table(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  looked_up<<<blocks_for(count_of(problem), run_samples), window_threads, 0, stream_of(ctx)>>>(
      aligned(problem.samples), count_of(problem), problem.grid, grid.data(), grid.data() + problem.grid.points());
  check_launch("looked_up");
}

void run_fine_table(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  looked_up_fine<<<blocks_for(count_of(problem), 1), window_threads, 0, stream_of(ctx)>>>(
      aligned(problem.samples), problem.grid, grid.data(), grid.data() + problem.grid.points());
  check_launch("looked_up_fine");
}

void run_search(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  search<<<blocks_for(problem.grid.points(), search_threads), search_threads, 0, stream_of(ctx)>>>(
      aligned(problem.samples), count_of(problem), problem.grid, grid.data(), grid.data() + problem.grid.points());
  check_launch("search");
}

void prepare_input_driven(const Context& ctx, const Problem& problem) { upload_table(ctx, problem); }

}  // namespace whorl::studies::gridding_2d
