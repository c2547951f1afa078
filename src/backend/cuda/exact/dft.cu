// Exact sums on a GPU: the entry of this folder. Which kernel takes which input, and why:
//
//   the pixels of a grid
//     float, tolerance from 1e-3 on   grid_forward<1>, grid_adjoint<1>   one half-precision number: fewer products
//     float                           grid_forward<2>, grid_adjoint<2>   the sum of two halves holds a float
//     double (dft_double.cu)          grid_forward_double, ...           tensor cores for double
//   positions anywhere (position_dft.cu)
//     float                           position_sums                      phases come from the tensor cores
//     double                          position_sums_double               sine and cosine in double take longest
//
// Sizes are in dft_tuning.hpp and position_dft_tuning.hpp.
#include "backend/cuda/exact/add_parts.cuh"
#include "backend/cuda/exact/grid_adjoint.cuh"
#include "backend/cuda/exact/grid_forward.cuh"
#include "backend/cuda/exact/grid_run.hpp"
#include "kernels/dft.hpp"

namespace whorl::backend::cuda {

namespace {

// The bits of the largest magnitude among complex numbers, on the device.
class Magnitude {
 public:
  Magnitude(const Context& ctx, const float2* values, Index count) : most_(ctx, 1) {
    check(cudaMemsetAsync(most_.data(), 0, sizeof(unsigned), stream_of(ctx)), "cudaMemsetAsync");
    launch_loop(ctx, "largest_magnitude", largest_magnitude, 2 * count, reinterpret_cast<const float*>(values),
                2 * count, most_.data());
  }
  const unsigned* data() { return most_.data(); }

 private:
  Scratch<unsigned> most_;
};

template <int kParts>
void forward_in_halves(const Context& ctx, const kernels::DftGeometry& geometry, const float2* images, float2* samples,
                       Index batch) {
  using Block = ForwardBlock<kParts>;
  const GridLayout grid = layout_of(geometry.image, tuning::grid_pairs);
  const Index panels = grid.pairs_padded / tuning::grid_pairs;
  const Index row_tiles = Index{grid.inner_padded / 8} * grid.outer_padded;
  Magnitude most(ctx, images, batch * grid.rows * grid.nx);
  const Index lanes = batch * panels * row_tiles * forward_steps * 32;
  Scratch<uint4> rows(ctx, lanes * kParts);
  launch_loop(ctx, "image_rows", image_rows<kParts>, lanes, grid, images, batch, most.data(), rows.data());

  const SampleRuns runs(geometry.points, Index{Block::samples});
  const Index column_entries = panels * runs.padded() / 16 * kParts * forward_steps * 32;
  RowFactors<float> factors(ctx, grid, runs.padded());
  Scratch<uint4> columns(ctx, column_entries);
  const Index blocks = runs.padded() / Index{Block::samples} * batch * panels;
  const Parts parts = parts_for(blocks, row_tiles / Block::outer_rows, properties_of(ctx).multiProcessorCount, 8);
  const Index slots = parts.count * panels * Block::warp_rows;
  Scratch<double2> partial(ctx, slots * batch * runs.padded());
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    launch_loop(ctx, "sample_columns", static_cast<void (*)(GridLayout, SampleRange, uint4*)>(sample_columns<kParts>),
                column_entries, grid, range, columns.data());
    const GridForward job{.grid = grid,
                          .padded = range.padded,
                          .units_per_part = static_cast<int>(parts.per_part),
                          .batch = static_cast<int>(batch),
                          .outer = factors.outer(),
                          .inner = factors.inner(),
                          .columns = columns.data(),
                          .images = rows.data(),
                          .most = most.data(),
                          .partial = partial.data()};
    constexpr std::size_t shared = Block::entries * sizeof(uint4);
    launch(ctx, "grid_forward", grid_forward<kParts>,
           {grid_of(range.padded / Index{Block::samples}, batch * panels, parts.count), tuning::grid_threads, shared},
           job);
    launch_loop(ctx, "add_parts", add_parts<double2, float>, batch * range.count, partial.data(), slots, batch,
                range.padded, range.count, geometry.points.extent(0), geometry.scale, samples + range.first);
  });
}

template <int kParts>
void adjoint_in_halves(const Context& ctx, const kernels::DftGeometry& geometry, const float2* samples, float2* images,
                       Index batch) {
  const GridLayout grid = layout_of(geometry.image, tuning::grid_pairs);
  const Index panels = grid.pairs_padded / tuning::grid_pairs;
  const Index row_blocks = Index{grid.inner_padded / 8} * (grid.outer_padded / tuning::grid_outer);
  const Index pixels = Index{grid.rows} * grid.nx;
  Magnitude most(ctx, samples, batch * geometry.points.extent(0));

  const SampleRuns runs(geometry.points, tuning::adjoint_chain);
  const Index column_entries = runs.padded() / 16 * panels * 8 * kParts * 32;
  RowFactors<float> factors(ctx, grid, runs.padded());
  Scratch<uint4> columns(ctx, column_entries);
  Scratch<float2> data(ctx, batch * runs.padded());
  const Index at_once = (3 - kParts) * properties_of(ctx).multiProcessorCount;
  const Parts parts = parts_for(row_blocks * batch * panels, runs.padded() / tuning::adjoint_stage, at_once, 4);
  Scratch<float2> partial(ctx, parts.count > 1 ? parts.count * batch * pixels : 0);
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    launch_loop(ctx, "pixel_columns", static_cast<void (*)(GridLayout, SampleRange, uint4*)>(pixel_columns<kParts>),
                column_entries, grid, range, columns.data());
    launch_loop(ctx, "padded_data", padded_data<float>, batch * range.padded, samples, batch, geometry.points.extent(0),
                range, most.data(), data.data());
    const GridAdjoint job{.grid = grid,
                          .padded = range.padded,
                          .stages_per_part = static_cast<int>(parts.per_part),
                          .batch = static_cast<int>(batch),
                          .outer = factors.outer(),
                          .inner = factors.inner(),
                          .data = data.data(),
                          .columns = columns.data(),
                          .most = most.data(),
                          .scale = static_cast<float>(geometry.scale),
                          .accumulate = range.first > 0,
                          .images = parts.count > 1 ? partial.data() : images};
    launch(ctx, "grid_adjoint", grid_adjoint<kParts>,
           {grid_of(row_blocks, batch * panels, parts.count), tuning::grid_threads,
            tuning::adjoint_stages * sizeof(AdjointStage<kParts>)},
           job);
  });
  if (parts.count == 1) return;
  const Index count = batch * pixels;
  launch_loop(ctx, "add_parts", add_parts<float2, float>, count, partial.data(), parts.count, 1, count, count, count,
              1.0, images);
}

void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<float>* images,
                 std::complex<float>* samples, Index batch) {
  const bool one_part = geometry.tolerance >= tuning::one_part_tolerance;
  (one_part ? forward_in_halves<1> : forward_in_halves<2>)(ctx, geometry, as_device(images), as_device(samples), batch);
}

void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<float>* samples,
                 std::complex<float>* images, Index batch) {
  const bool one_part = geometry.tolerance >= tuning::one_part_tolerance;
  (one_part ? adjoint_in_halves<1> : adjoint_in_halves<2>)(ctx, geometry, as_device(samples), as_device(images), batch);
}

}  // namespace

void register_dft() {
  kernels::dft_forward<float>.set(DeviceKind::cuda, dft_forward);
  kernels::dft_adjoint<float>.set(DeviceKind::cuda, dft_adjoint);
}

}  // namespace whorl::backend::cuda
