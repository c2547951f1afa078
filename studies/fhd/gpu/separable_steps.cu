// Steps 11 to 13, with the phases of each axis in tables.
#include <algorithm>

#include "studies/fhd/gpu/launch.cuh"
#include "studies/fhd/gpu/separable.cuh"
#include "studies/fhd/gpu/tensor_cores.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::studies::fhd::gpu {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

/// Samples whose tables are in memory together, about 10 to 30 MB: a multiple of the kernels' block of samples.
constexpr int table_samples = 8192;
static_assert(table_samples % tensor_batch == 0 && tensor_batch % depth == 0);

struct Product {
  void (*kernel)(PhaseTables tables, TiledSums sums);
  int threads;
};

void run_product(const Context& ctx, const Product& product, const Problem<float>& problem, ArrayRef<float> sums) {
  const cudaStream_t stream = stream_of(ctx);
  const Sums<float> s = sums_of(problem, sums);
  const Array<float> mu = mu_of(ctx, s);
  const auto [nz, ny, nx] = problem.image;
  const int width = static_cast<int>(round_up(nx, tile));
  const int lines = static_cast<int>(round_up(ny * nz, tile));
  const int samples = std::min(table_samples, static_cast<int>(round_up(s.samples, tensor_batch)));
  Array<float2> memory(ctx, {samples * (width + ny + nz)});
  PhaseTables tables{.x = memory.data(),
                     .y = memory.data() + Index{samples} * width,
                     .z = memory.data() + samples * (width + ny),
                     .samples = samples,
                     .width = width,
                     .nx = static_cast<int>(nx),
                     .ny = static_cast<int>(ny),
                     .nz = static_cast<int>(nz)};
  Array<float> tiled = zeros<float>(ctx, {2, Index{lines} * width});
  const TiledSums tiles{tiled.data(), tiled.data() + tiled.extent(1)};
  const dim3 blocks(static_cast<unsigned>(width / tile), static_cast<unsigned>(lines / tile));
  for (Index first = 0; first < s.samples; first += table_samples) {
    tables.samples = std::min(samples, static_cast<int>(round_up(s.samples - first, tensor_batch)));
    fill_tables<<<static_cast<unsigned>(tables.samples), tile, 0, stream>>>(s, mu_from(mu), first, tables);
    check_launch("fill_tables");
    product.kernel<<<blocks, product.threads, 0, stream>>>(tables, tiles);
    check_launch("a product of matrices");
  }
  crop<<<blocks_for(s.voxels, default_threads), default_threads, 0, stream>>>(tables, tiles, s);
  check_launch("crop");
}

auto with(const Product& product) {
  return [product](const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
    run_product(ctx, product, problem, sums);
  };
}

}  // namespace

std::vector<Step<float>> separable_steps(const Context& ctx) {
  std::vector<Step<float>> steps{{"separable", with({separable, separable_threads})}};
  constexpr int with_tf32 = 8;
  if (backend::cuda::properties_of(ctx).major >= with_tf32) {
    steps.push_back({"tensor cores, 11 bits", with({tensor_cores<false>, tensor_threads})});
    steps.push_back({"tensor cores, two halves", with({tensor_cores<true>, tensor_threads})});
  }
  return steps;
}

}  // namespace whorl::studies::fhd::gpu
