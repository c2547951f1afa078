// Exact transform of a grid in double on a GPU (see dft.cu).
#include "backend/cuda/exact/add_parts.cuh"
#include "backend/cuda/exact/grid_double.cuh"
#include "backend/cuda/exact/grid_run.hpp"
#include "kernels/dft.hpp"

namespace whorl::backend::cuda {

namespace {

void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<double>* images,
                 std::complex<double>* samples, Index batch) {
  const GridLayout grid = layout_of(geometry.image, 2);
  const Index steps = grid.pairs_padded / 2;
  const Index row_tiles = Index{grid.inner_padded / 8} * grid.outer_padded;
  Scratch<double2> rows(ctx, batch * row_tiles * steps * 32);
  launch_loop(ctx, "image_rows", static_cast<void (*)(GridLayout, const double2*, int, double2*)>(image_rows),
              batch * row_tiles * steps * 32, grid, as_device(images), batch, rows.data());

  const SampleRuns runs(geometry.points, double_samples);
  const Index column_entries = runs.padded() / 8 * steps * 32;
  RowFactors<double> factors(ctx, grid, runs.padded());
  Scratch<double> columns(ctx, column_entries);
  const Index blocks = runs.padded() / double_samples * batch;
  const Parts parts =
      parts_for(blocks, row_tiles / 2, tuning::double_blocks * properties_of(ctx).multiProcessorCount, 2);
  Scratch<double2> partial(ctx, parts.count * batch * runs.padded());
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    launch_loop(ctx, "sample_columns", static_cast<void (*)(GridLayout, SampleRange, double*)>(sample_columns),
                column_entries, grid, range, columns.data());
    const GridForwardDouble job{.grid = grid,
                                .padded = range.padded,
                                .units_per_part = static_cast<int>(parts.per_part),
                                .batch = static_cast<int>(batch),
                                .outer = factors.outer(),
                                .inner = factors.inner(),
                                .columns = columns.data(),
                                .images = rows.data(),
                                .partial = partial.data()};
    launch(ctx, "grid_forward_double", grid_forward_double,
           {grid_of(range.padded / double_samples, batch, parts.count), tuning::double_threads}, job);
    launch_loop(ctx, "add_parts", add_parts<double2, double>, batch * range.count, partial.data(), parts.count, batch,
                range.padded, range.count, geometry.points.extent(0), geometry.scale, as_device(samples) + range.first);
  });
}

void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<double>* samples,
                 std::complex<double>* images, Index batch) {
  const GridLayout grid = layout_of(geometry.image, 32);
  const Index row_blocks = Index{grid.inner_padded / 8} * (grid.outer_padded / 4);
  const Index pixels = Index{grid.rows} * grid.nx;
  const SampleRuns runs(geometry.points, 4);
  const Index column_entries = runs.padded() / 4 * (grid.pairs_padded / 4) * 32;
  RowFactors<double> factors(ctx, grid, runs.padded());
  Scratch<double> columns(ctx, column_entries);
  Scratch<double2> data(ctx, batch * runs.padded());
  const Index columns_of_blocks = batch * (grid.pairs_padded / 32);
  const Parts parts =
      parts_for(row_blocks * columns_of_blocks, runs.padded() / 4, 4 * properties_of(ctx).multiProcessorCount, 16);
  Scratch<double2> partial(ctx, parts.count > 1 ? parts.count * batch * pixels : 0);
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    launch_loop(ctx, "pixel_columns", static_cast<void (*)(GridLayout, SampleRange, double*)>(pixel_columns),
                column_entries, grid, range, columns.data());
    launch_loop(ctx, "padded_data", padded_data<double>, batch * range.padded, as_device(samples), batch,
                geometry.points.extent(0), range, nullptr, data.data());
    const GridAdjointDouble job{.grid = grid,
                                .padded = range.padded,
                                .steps_per_part = static_cast<int>(parts.per_part),
                                .batch = static_cast<int>(batch),
                                .outer = factors.outer(),
                                .inner = factors.inner(),
                                .data = data.data(),
                                .columns = columns.data(),
                                .scale = geometry.scale,
                                .accumulate = range.first > 0,
                                .images = parts.count > 1 ? partial.data() : as_device(images)};
    launch(ctx, "grid_adjoint_double", grid_adjoint_double,
           {grid_of(row_blocks, columns_of_blocks, parts.count), tuning::double_threads}, job);
  });
  if (parts.count == 1) return;
  const Index count = batch * pixels;
  launch_loop(ctx, "add_parts", add_parts<double2, double>, count, partial.data(), parts.count, 1, count, count, count,
              1.0, as_device(images));
}

}  // namespace

void register_dft_double() {
  kernels::dft_forward<double>.set(DeviceKind::cuda, dft_forward);
  kernels::dft_adjoint<double>.set(DeviceKind::cuda, dft_adjoint);
}

}  // namespace whorl::backend::cuda
