// The kernels of sectors: what launches them, and how many blocks a multiprocessor has at a time.
#include <algorithm>

#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/gpu/add_tiles.cuh"
#include "studies/gridding_2d/gpu/launches.hpp"
#include "studies/gridding_2d/gpu/sectors.cuh"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

/// The kernel may have all of a multiprocessor's shared memory.
template <class Window>
void prepare_sectors(const Context& ctx, const Problem& problem) {
  upload_table(ctx, problem);
  const auto most = static_cast<int>(backend::cuda::properties_of(ctx).sharedMemPerBlockOptin);
  check(cudaFuncSetAttribute(sectors<Window>, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
        "cudaFuncSetAttribute");
  check(cudaFuncSetAttribute(sectors<Window>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
}

// step: two blocks a multiprocessor; as many blocks as fit
/// Fills the tiles, with `resident` blocks on a multiprocessor at a time, or as many as fit (0). A block
/// asks for shared memory until one more block would not fit.
template <class Window>
Array<float> run_tiles(const Context& ctx, const Problem& problem, std::size_t resident) {
  const int blocks = problem.grid.sectors();
  Array<float> tiles(ctx, {blocks, tile_floats});
  std::size_t bytes = (tile_floats + Window::shared_floats) * sizeof(float);
  if (resident > 0) {
    bytes = std::max(bytes, backend::cuda::properties_of(ctx).sharedMemPerMultiprocessor / (resident + 1) + 1);
  }
  sectors<Window><<<static_cast<unsigned>(blocks), sector_threads, bytes, stream_of(ctx)>>>(
      {reinterpret_cast<const float4*>(problem.sorted.data()), problem.first.data(), problem.table.data(),
       static_cast<float>(-1 / problem.b), problem.grid.sectors_x(), tiles.data()});
  check_launch("sectors");
  return tiles;
}
// end of step

void add_on_host(const Context& ctx, const Problem& problem, const Array<float>& tiles, ArrayRef<float> grid) {
  const Array<float> here = to_host(ctx, tiles.ref());
  Array<float> sums(ctx.host(), grid.shape());
  add_tiles_on_host(problem.grid, here.data(), ctx.threads(), sums.data());
  copy<float>(ctx, sums, grid);
}

void add_on_device(const Context& ctx, const Problem& problem, const Array<float>& tiles, ArrayRef<float> grid) {
  add_tiles<<<static_cast<unsigned>(problem.grid.points() / add_threads), add_threads, 0, stream_of(ctx)>>>(
      tiles.data(), problem.grid, grid.data(), grid.data() + problem.grid.points());
  check_launch("add_tiles");
}

template <class Window>
Step sector_step(const std::string& name, Lookup lookup, Padding padding, std::size_t resident) {
  return {.name = name,
          .lookup = lookup,
          .run =
              [padding, resident](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
                const Array<float> tiles = run_tiles<Window>(ctx, problem, resident);
                (padding == Padding::host ? add_on_host : add_on_device)(ctx, problem, tiles, grid);
              },
          .prepare = prepare_sectors<Window>};
}

}  // namespace

Step constant_table_step(const std::string& name, Padding padding, int resident) {
  return sector_step<ConstantTable>(name, Lookup::distance, padding, static_cast<std::size_t>(resident));
}

Step sector_step_with(const std::string& name, Lookup lookup) {
  switch (lookup) {
    case Lookup::distance:
      return sector_step<SharedTable>(name, lookup, Padding::device, 0);
    case Lookup::estimated:
      return sector_step<EstimatedDistance>(name, lookup, Padding::device, 0);
    case Lookup::axes:
      return sector_step<AxisTables>(name, lookup, Padding::device, 0);
    case Lookup::exact:
      break;
  }
  return sector_step<ExactWindow>(name, lookup, Padding::device, 0);
}

}  // namespace whorl::studies::gridding_2d
