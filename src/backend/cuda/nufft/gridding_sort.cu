#include "backend/cuda/nufft/gridding_sort.hpp"

#include <array>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/nufft/gridding_tuning.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int threads = 256;

dim3 blocks_for(Index count, Index directions = 1) { return grid_of(divide_up(count, threads), directions); }

__device__ Index thread_number() { return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; }

template <int Dim>
__global__ void find_bins(const double* __restrict__ points, int count, BinGrid bins, int width,
                          unsigned* __restrict__ bin_of, int* __restrict__ index) {
  const Index j = thread_number();
  if (j >= count) return;
  int bin = 0;
#pragma unroll
  for (int axis = Dim - 1; axis >= 0; --axis) {
    const WindowPlace place = locate(points[j * Dim + axis], bins.extent[axis], width);
    bin = bin * bins.count[axis] + (place.start >> bins.shift);
  }
  bin_of[j] = static_cast<unsigned>(bin);
  index[j] = static_cast<int>(j);
}

template <class Real, int Dim>
__global__ void sort_samples(const double* __restrict__ points, const int* __restrict__ index, int count, BinGrid bins,
                             int width, SortedSample<Real, Dim>* __restrict__ samples) {
  const Index j = thread_number();
  if (j >= count) return;
  SortedSample<Real, Dim> sample;
  sample.index = index[j];
#pragma unroll
  for (int axis = 0; axis < Dim; ++axis) {
    const WindowPlace place = locate(points[static_cast<Index>(sample.index) * Dim + axis], bins.extent[axis], width);
    sample.start[axis] = place.start;
    sample.u[axis] = static_cast<Real>(place.u);
  }
  samples[j] = sample;
}

// The first sample of each bin, by bisection.
__global__ void find_first(const unsigned* __restrict__ sorted_bins, int count, int bins, int* __restrict__ bin_first) {
  const Index bin = thread_number();
  if (bin > bins) return;
  int low = 0;
  for (int high = count; low < high;) {
    const int middle = low + (high - low) / 2;
    if (sorted_bins[middle] < static_cast<unsigned>(bin)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bin_first[bin] = low;
}

// The number of parts of a tile, or of all tiles before it.
struct Counts {
  int parts;
  int empty;  // tiles without samples
  int slots;
  int cut;
};

__device__ Counts operator+(const Counts& a, const Counts& b) {
  return {a.parts + b.parts, a.empty + b.empty, a.slots + b.slots, a.cut + b.cut};
}

// The division of the tiles for spreading, or for interpolation.
struct Division {
  TileGrid tiles;
  Counts* counts;     // [tile]
  Counts* of_blocks;  // [block + 1]: of the tiles of the blocks before
  TilePart* parts;
  TilePart* cut;
};

struct Divisions {
  Division of[2];
};

__device__ Counts sum_up_to_lane(Counts sum, int lane) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const Counts other = {__shfl_up_sync(0xffffffffU, sum.parts, step), __shfl_up_sync(0xffffffffU, sum.empty, step),
                          __shfl_up_sync(0xffffffffU, sum.slots, step), __shfl_up_sync(0xffffffffU, sum.cut, step)};
    if (lane >= static_cast<int>(step)) sum = sum + other;
  }
  return sum;
}

// The sum over the threads of a block up to this one.
__device__ Counts sum_up_to_thread(Counts sum) {
  __shared__ Counts of_warps[32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  sum = sum_up_to_lane(sum, lane);
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum = sum + of_warps[w];
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(threads)
    count_parts(Divisions divisions, BinGrid bins, const int* __restrict__ bin_first) {
  const Division& division = divisions.of[blockIdx.y];
  const TileGrid& tiles = division.tiles;
  const int tile = static_cast<int>(thread_number());
  Counts counts = {0, 0, 0, 0};
  if (tile < tiles.tiles()) {
    int samples = 0;
    for_each_range(bins, tiles, corner_of(tiles, tile), bin_first, 0, 1,
                   [&](int, int, int count) { samples += count; });
    const int parts = tiles.parts(samples);
    counts = {parts, parts == 0 ? 1 : 0, parts > 1 ? parts : 0, parts > 1 ? 1 : 0};
    division.counts[tile] = counts;
  }
  const Counts sum = sum_up_to_thread(counts);
  if (threadIdx.x == threads - 1) division.of_blocks[blockIdx.x + 1] = sum;
}

// One block per direction replaces the counts of blocks by running sums and stores the total for the host.
__global__ void __launch_bounds__(threads) sum_blocks(Divisions divisions, int blocks, Counts* totals) {
  Counts* const of_blocks = divisions.of[blockIdx.x].of_blocks;
  __shared__ Counts last;
  Counts before = {0, 0, 0, 0};
  if (threadIdx.x == 0) of_blocks[0] = before;
  for (int begin = 1; begin <= blocks; begin += threads) {
    const int block = begin + static_cast<int>(threadIdx.x);
    const Counts sum = before + sum_up_to_thread(block <= blocks ? of_blocks[block] : Counts{0, 0, 0, 0});
    if (block <= blocks) of_blocks[block] = sum;
    if (threadIdx.x == threads - 1) last = sum;
    __syncthreads();
    before = last;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

__global__ void __launch_bounds__(threads) write_parts(Divisions divisions) {
  const Division& division = divisions.of[blockIdx.y];
  const TileGrid& tiles = division.tiles;
  const int tile = static_cast<int>(thread_number());
  const bool inside = tile < tiles.tiles();
  const Counts own = inside ? division.counts[tile] : Counts{0, 0, 0, 0};
  const Counts up_to = division.of_blocks[blockIdx.x] + sum_up_to_thread(own);
  if (!inside) return;
  const TileCorner corner = corner_of(tiles, tile);
  const int first_slot = up_to.slots - own.slots;
  for (int part = 0; part < own.parts; ++part) {
    division.parts[up_to.parts - own.parts + part] = {corner, part, own.parts, first_slot + part};
  }
  if (own.parts > 1) division.cut[up_to.cut - 1] = {corner, up_to.parts - own.parts, own.parts, first_slot};
  if (own.parts == 0 && tiles.all) {
    division.parts[division.of_blocks[gridDim.x].parts + up_to.empty - 1] = {corner, 0, 0, 0};
  }
}

}  // namespace

template <class Real, int Dim>
SortedSamples<Real, Dim>::SortedSamples(const Context& ctx, const kernels::GriddingGeometry& geometry,
                                        const BinGrid& bins)
    : samples(ctx, {geometry.points.extent(0)}),
      bin_first(ctx, {Index{bins.count[0]} * bins.count[1] * bins.count[2] + 1}) {
  const int count = static_cast<int>(geometry.points.extent(0));
  const int width = geometry.window.width;
  const int bin_count = static_cast<int>(bin_first.size()) - 1;
  const double* const points = geometry.points.data();
  cudaStream_t stream = stream_of(ctx);
  // Samples of a bin keep the order of acquisition: a radix sort is stable.
  Array<unsigned> bin_of(ctx, {2, count});
  Array<int> index(ctx, {2, count});
  unsigned* sorted_bins = bin_of.data() + count;
  int* sorted_index = index.data() + count;
  if (count > 0) {
    launch(ctx, "gridding: find_bins", find_bins<Dim>, {blocks_for(count), threads}, points, count, bins, width,
           bin_of.data(), index.data());
    const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(bin_count - 1))));
    std::size_t bytes = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, bin_of.data(), sorted_bins, index.data(), sorted_index, count,
                                          0, bits, stream),
          "cub::DeviceRadixSort::SortPairs");
    Array<std::byte> workspace(ctx, {static_cast<Index>(bytes)});
    check(cub::DeviceRadixSort::SortPairs(workspace.data(), bytes, bin_of.data(), sorted_bins, index.data(),
                                          sorted_index, count, 0, bits, stream),
          "cub::DeviceRadixSort::SortPairs");
    launch(ctx, "gridding: sort_samples", sort_samples<Real, Dim>, {blocks_for(count), threads}, points, sorted_index,
           count, bins, width, samples.data());
  }
  launch(ctx, "gridding: find_first", find_first, {blocks_for(bin_count + 1), threads}, sorted_bins, count, bin_count,
         bin_first.data());
}

GriddingParts::GriddingParts(const Context& ctx, const BinGrid& bins, const int* bin_first,
                             const TileGrid& spread_tiles, const TileGrid& interpolation_tiles) {
  const int most_tiles = std::max(spread_tiles.tiles(), interpolation_tiles.tiles());
  const dim3 blocks = blocks_for(most_tiles, 2);
  const Index sums = blocks.x + 1;
  Array<Counts> counts(ctx, {2, most_tiles});
  Array<Counts> of_blocks(ctx, {2, sums});
  Divisions divisions{};
  divisions.of[0] = {spread_tiles, counts.data(), of_blocks.data(), nullptr, nullptr};
  divisions.of[1] = {interpolation_tiles, counts.data() + most_tiles, of_blocks.data() + sums, nullptr, nullptr};
  launch(ctx, "gridding: count_parts", count_parts, {blocks, threads}, divisions, bins, bin_first);
  static_assert(2 * sizeof(Counts) <= mailbox_bytes);
  auto* const totals = static_cast<Counts*>(mailbox_of(ctx));
  launch(ctx, "gridding: sum_blocks", sum_blocks, {2, threads}, divisions, static_cast<int>(blocks.x), totals);
  ctx.synchronize();
  std::array<TileParts*, 2> results{&spread, &interpolation};
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i]->parts = Array<TilePart>(ctx, {totals[i].parts + (divisions.of[i].tiles.all ? totals[i].empty : 0)});
    results[i]->cut = Array<TilePart>(ctx, {totals[i].cut});
    results[i]->slots = totals[i].slots;
    divisions.of[i].parts = results[i]->parts.data();
    divisions.of[i].cut = results[i]->cut.data();
  }
  launch(ctx, "gridding: write_parts", write_parts, {blocks, threads}, divisions);
}

template struct SortedSamples<float, 1>;
template struct SortedSamples<float, 2>;
template struct SortedSamples<float, 3>;
template struct SortedSamples<double, 1>;
template struct SortedSamples<double, 2>;
template struct SortedSamples<double, 3>;

}  // namespace whorl::backend::cuda
