// The optimizations alone on a GPU: what launches the kernels.
#include <algorithm>

#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/alone/input_driven.cuh"
#include "studies/gridding_2d/alone/sector_driven.cuh"
#include "studies/gridding_2d/alone/steps.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::gridding_2d {

namespace alone {

namespace {

using backend::cuda::check;
using backend::cuda::check_launch;
using backend::cuda::stream_of;

constexpr int listing_window = 16;

unsigned blocks_of(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }
Exponential exponential_of(const Problem& problem) { return {static_cast<float>(-1 / problem.b)}; }
TableInConstantMemory table_of(const Problem& problem) { return {problem.sizes.entries}; }
SampleLoads plain(const Array<Sample>& samples) { return {samples.data()}; }
AlignedLoads aligned_loads(const Array<Sample>& samples) { return {reinterpret_cast<const float4*>(samples.data())}; }

void upload_sized_table(const Context& ctx, const Problem& problem) {
  check(cudaMemcpyToSymbolAsync(sized_table, problem.table.data(),
                                static_cast<std::size_t>(problem.table.size()) * sizeof(float), 0,
                                cudaMemcpyDeviceToDevice, stream_of(ctx)),
        "cudaMemcpyToSymbolAsync");
}

/// Calls work with the window as a constant.
template <class Work>
void with_window(const Sizes& sizes, const Work& work) {
  if (sizes.window == width) return work(std::integral_constant<int, width>());
  if (sizes.window == listing_window) return work(std::integral_constant<int, listing_window>());
  throw Unsupported("gridding_2d: no kernel for a window of " + std::to_string(sizes.window) + " cells");
}

template <class Grid, class Loads, class Weight>
void run_fine(const Context& ctx, const Problem& problem, const Loads& loads, const Weight& weight,
              ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  with_window(problem.sizes, [&](auto window) {
    one_sample_a_block<window(), Loads, Weight, Grid>
        <<<static_cast<unsigned>(problem.samples.size()), window() * window(), 0, stream_of(ctx)>>>(
            loads, weight, problem.grid, grid.data());
    check_launch("one_sample_a_block");
  });
}

void run_samples_in_shared_memory(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  fill<float>(ctx, grid, 0);
  const auto count = static_cast<int>(problem.samples.size());
  with_window(problem.sizes, [&](auto window) {
    samples_in_shared_memory<window()><<<blocks_of(count, run_length), window() * window(), 0, stream_of(ctx)>>>(
        problem.samples.data(), count, exponential_of(problem), problem.grid, grid.data());
    check_launch("samples_in_shared_memory");
  });
}

void add_sectors_on_host(const Context& ctx, const SectorsOf& job, const Array<float>& tiles, ArrayRef<float> grid) {
  const Array<float> here = to_host(ctx, tiles.ref());
  Array<float> sums = zeros<float>(ctx.host(), grid.shape());
  const int half = (job.padded - job.side) / 2;
  const int columns = job.extents.sectors_x(job.side);
  for (int s = 0; s < job.extents.sectors(job.side); ++s) {
    const float* const tile = here.data() + Index{s} * 2 * job.points();
    const int corner_y = s / columns * job.side - half;
    const int corner_x = s % columns * job.side - half;
    const int rows = std::min(job.padded, job.extents.y + half - corner_y);
    const int cells = std::min(job.padded, job.extents.x + half - corner_x);
    for (int j = 0; j < rows; ++j) {
      float* const row = sums.data() + 2 * Index{wrapped(corner_y + j, job.extents.y)} * job.extents.x;
      for (int i = 0; i < cells; ++i) {
        const Index at = 2 * Index{wrapped(corner_x + i, job.extents.x)};
        row[at] += tile[2 * (j * job.padded + i)];
        row[at + 1] += tile[2 * (j * job.padded + i) + 1];
      }
    }
  }
  copy<float>(ctx, sums, grid);
}

/// Side that adds the padding of the tiles.
enum class Adder { host, device };

template <class Tile, class Loads, class Weight>
void run_sectors(const Context& ctx, const Problem& problem, const Loads& loads, const Weight& weight, int resident,
                 Adder adder, ArrayRef<float> grid) {
  const Sizes& sizes = problem.sizes;
  const int blocks = problem.grid.sectors(sizes.side);
  SectorsOf job{problem.grid, sizes.side, sizes.padded_side(), problem.first.data(), nullptr};
  Array<float> tiles(ctx, {blocks, 2 * job.points()});
  job.tiles = tiles.data();
  // A block that asks for so much shared memory that one more would not fit keeps others away.
  const cudaDeviceProp& properties = backend::cuda::properties_of(ctx);
  std::size_t bytes = 2 * static_cast<std::size_t>(job.points()) * sizeof(float);
  if (resident > 0) {
    bytes = std::max(bytes, properties.sharedMemPerMultiprocessor / (static_cast<std::size_t>(resident) + 1) + 1);
  }
  with_window(sizes, [&](auto window) {
    const auto kernel = sector_driven<window(), Loads, Weight, Tile>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(properties.sharedMemPerBlockOptin)),
          "cudaFuncSetAttribute");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
          "cudaFuncSetAttribute");
    kernel<<<static_cast<unsigned>(blocks), block_threads, bytes, stream_of(ctx)>>>(loads, weight, job);
    check_launch("sector_driven");
  });
  if (adder == Adder::host) return add_sectors_on_host(ctx, job, tiles, grid);
  collect_points<Tile>
      <<<blocks_of(problem.grid.points(), block_threads), block_threads, 0, stream_of(ctx)>>>(job, grid.data());
  check_launch("collect_points");
}

/// Sectors as the only change: a sample takes four loads, the window an exponential, a tile holds complex numbers.
Step sectors_alone(const std::string& name, Adder adder, int resident, Cited published = {}) {
  return {.name = name,
          .layout = Layout::interleaved,
          .run =
              [=](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
                run_sectors<Interleaved>(ctx, problem, plain(problem.sorted), exponential_of(problem), resident, adder,
                                         grid);
              },
          .published = published};
}

template <class Tile>
void run_exact_sectors(const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
  run_sectors<Tile>(ctx, problem, aligned_loads(problem.sorted), exponential_of(problem), 0, Adder::device, grid);
}

}  // namespace

}  // namespace alone

bool fits_gpu(const Context& ctx, const Sizes& sizes) {
  const auto edge = static_cast<std::size_t>(sizes.padded_side());
  return (sizes.window == width || sizes.window == alone::listing_window) && entries_of(sizes) <= alone::most_entries &&
         2 * edge * edge * sizeof(float) <= backend::cuda::properties_of(ctx).sharedMemPerBlockOptin;
}

std::vector<Step> gpu_alone_steps() {
  using namespace alone;
  return {
      {.name = "input-driven, global memory, atomics",
       .layout = Layout::interleaved,
       .run =
           [](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
             run_fine<Interleaved>(ctx, problem, plain(problem.samples), exponential_of(problem), grid);
           }},
      {.name = "samples in shared memory",
       .layout = Layout::interleaved,
       .run = run_samples_in_shared_memory,
       .published = {"gridding_2d", "+40 %"}},
      {.name = "samples aligned",
       .layout = Layout::interleaved,
       .run =
           [](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
             run_fine<Interleaved>(ctx, problem, aligned_loads(problem.samples), exponential_of(problem), grid);
           }},
      {.name = "samples aligned, real and imaginary apart",
       .run =
           [](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
             run_fine<Apart>(ctx, problem, aligned_loads(problem.samples), exponential_of(problem), grid);
           },
       .published = {"gridding_2d", "+70 %"}},
      {.name = "window from a table, constant memory",
       .lookup = Lookup::distance,
       .layout = Layout::interleaved,
       .run =
           [](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
             run_fine<Interleaved>(ctx, problem, plain(problem.samples), table_of(problem), grid);
           },
       .published = {"gridding_2d", "+20 %"},
       .prepare = upload_sized_table},
      sectors_alone("sector-driven, padding added by the host", Adder::host, 1, {"gridding_2d", "+310 %"}),
      sectors_alone("the same, two blocks a multiprocessor", Adder::host, 2, {"gridding_2d", "+35 % over one block"}),
      sectors_alone("sector-driven, padding added on the device", Adder::device, 1),
      sectors_alone("this, two blocks a multiprocessor", Adder::device, 2),
  };
}

Step gpu_sector_step(int resident) {
  using namespace alone;
  return {.name = "sector-driven, table",
          .lookup = Lookup::distance,
          .run =
              [resident](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
                run_sectors<Apart>(ctx, problem, aligned_loads(problem.sorted), table_of(problem), resident,
                                   Adder::device, grid);
              },
          .prepare = upload_sized_table};
}

std::vector<Step> gpu_bank_steps() {
  using namespace alone;
  return {{.name = "complex numbers", .layout = Layout::interleaved, .run = run_exact_sectors<Interleaved>},
          {.name = "real and imaginary parts apart", .run = run_exact_sectors<Apart>}};
}

}  // namespace whorl::studies::gridding_2d
