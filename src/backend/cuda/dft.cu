#include "backend/cuda/dft.hpp"

#include "backend/cuda/device/add_parts.cuh"
#include "backend/cuda/device/grid_adjoint.cuh"
#include "backend/cuda/device/grid_double.cuh"
#include "backend/cuda/device/grid_forward.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/parts.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }
Index round_up(Index a, Index b) { return divide_up(a, b) * b; }

GridLayout layout_of(const std::array<Index, 3>& image, Index pairs_multiple) {
  const auto [nz, ny, nx] = image;
  GridLayout grid{};
  grid.nx = static_cast<int>(nx);
  grid.rows = static_cast<int>(nz * ny);
  if (nz == 1 || ny == 1) {
    grid.inner = 8;
    grid.outer = static_cast<int>(divide_up(grid.rows, 8));
    grid.inner_axis = grid.outer_axis = nz == 1 ? 1 : 2;
    grid.outer_step = 8;
    grid.outer_begin = 0;
    grid.inner_begin = -(grid.rows / 2);
  } else {
    grid.inner = static_cast<int>(ny);
    grid.outer = static_cast<int>(nz);
    grid.inner_axis = 1;
    grid.outer_axis = 2;
    grid.outer_step = 1;
    grid.outer_begin = -(grid.outer / 2);
    grid.inner_begin = -(grid.inner / 2);
  }
  grid.outer_padded = static_cast<int>(round_up(grid.outer, tuning::grid_outer));
  grid.inner_padded = static_cast<int>(round_up(grid.inner, 8));
  grid.pairs_padded = static_cast<int>(round_up(grid.pairs(), pairs_multiple));
  return grid;
}

// Memory for `count` of T, which need not be a type that arrays hold.
template <class T>
class Scratch {
 public:
  Scratch(const Context& ctx, Index count) : bytes_(ctx, {count * static_cast<Index>(sizeof(T))}) {}
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }

 private:
  Array<std::byte> bytes_;
};

// The samples in runs whose tables are made together.
class SampleRuns {
 public:
  SampleRuns(ArrayRef<const double> points, Index multiple)
      : points_(points), multiple_(multiple), most_(std::min<Index>(points.extent(0), tuning::samples_at_once)) {}

  Index padded() const { return std::max(multiple_, round_up(most_, multiple_)); }

  template <class Use>
  void for_each(const Context& ctx, const Use& use) const {
    const Index total = points_.extent(0);
    for (Index first = 0; first < std::max<Index>(total, 1); first += tuning::samples_at_once) {
      ctx.check_cancel("dft");
      const Index count = std::min<Index>(total - first, tuning::samples_at_once);
      use(SampleRange{points_.data(), static_cast<int>(points_.extent(1)), first, static_cast<int>(count),
                      static_cast<int>(std::max(multiple_, round_up(count, multiple_)))});
    }
  }

 private:
  ArrayRef<const double> points_;
  Index multiple_;
  Index most_;
};

// A kernel that loops over `count` elements.
template <class... Params, class... Args>
void loop(const Context& ctx, const char* name, void (*kernel)(Params...), Index count, Args... args) {
  kernel<<<loop_blocks(ctx, count), loop_threads, 0, stream_of(ctx)>>>(static_cast<Params>(args)...);
  check_launch(name);
}

template <class Real>
class RowFactors {
 public:
  RowFactors(const Context& ctx, const GridLayout& grid, Index padded)
      : outer_(ctx, grid.outer_padded * padded), inner_(ctx, grid.inner_padded * padded) {}

  void fill(const Context& ctx, const GridLayout& grid, const SampleRange& samples) {
    const Index count = Index{grid.outer_padded + grid.inner_padded} * samples.padded;
    loop(ctx, "row_factors", row_factors<Real>, count, grid, samples, outer_.data(), inner_.data());
  }

  const Complex2<Real>* outer() { return outer_.data(); }
  const Complex2<Real>* inner() { return inner_.data(); }

 private:
  Scratch<Complex2<Real>> outer_;
  Scratch<Complex2<Real>> inner_;
};

// Bits of the largest magnitude among complex numbers, on the device.
class Magnitude {
 public:
  Magnitude(const Context& ctx, const float2* values, Index count) : most_(ctx, 1) {
    check(cudaMemsetAsync(most_.data(), 0, sizeof(unsigned), stream_of(ctx)), "cudaMemsetAsync");
    loop(ctx, "largest_magnitude", largest_magnitude, 2 * count, reinterpret_cast<const float*>(values), 2 * count,
         most_.data());
  }
  const unsigned* data() { return most_.data(); }

 private:
  Scratch<unsigned> most_;
};

template <class Kernel, class Job>
void launch(const Context& ctx, const char* name, Kernel kernel, dim3 blocks, int threads, std::size_t shared,
            const Job& job) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "cudaFuncSetAttribute");
  kernel<<<blocks, threads, shared, stream_of(ctx)>>>(job);
  check_launch(name);
}

dim3 grid_of(Index x, Index y, Index z) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

template <int kParts>
void forward_in_halves(const Context& ctx, const kernels::DftGeometry& geometry, const float2* images, float2* samples,
                       Index batch) {
  const GridLayout grid = layout_of(geometry.image, tuning::grid_pairs);
  const Index panels = grid.pairs_padded / tuning::grid_pairs;
  const Index row_tiles = Index{grid.inner_padded / 8} * grid.outer_padded;
  Magnitude most(ctx, images, batch * grid.rows * grid.nx);
  const Index lanes = batch * panels * row_tiles * forward_steps * 32;
  Scratch<uint4> rows(ctx, lanes * kParts);
  loop(ctx, "image_rows", image_rows<kParts>, lanes, grid, images, batch, most.data(), rows.data());

  const SampleRuns runs(geometry.points, tuning::forward_samples);
  const Index column_entries = panels * runs.padded() / 16 * kParts * forward_steps * 32;
  RowFactors<float> factors(ctx, grid, runs.padded());
  Scratch<uint4> columns(ctx, column_entries);
  const Index blocks = runs.padded() / tuning::forward_samples * batch * panels;
  const Parts parts = parts_for(blocks, row_tiles / 4, properties_of(ctx).multiProcessorCount, 8);
  const Index slots = parts.count * panels * 2;
  Scratch<double2> partial(ctx, slots * batch * runs.padded());
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    loop(ctx, "sample_columns", static_cast<void (*)(GridLayout, SampleRange, uint4*)>(sample_columns<kParts>),
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
    constexpr std::size_t shared = tuning::forward_samples / 16 * kParts * forward_steps * 32 * sizeof(uint4);
    launch(ctx, "grid_forward", grid_forward<kParts>,
           grid_of(range.padded / tuning::forward_samples, batch * panels, parts.count), tuning::grid_threads, shared,
           job);
    loop(ctx, "add_parts", add_parts<double2, float>, batch * range.count, partial.data(), slots, batch, range.padded,
         range.count, geometry.points.extent(0), geometry.scale, samples + range.first);
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
    loop(ctx, "pixel_columns", static_cast<void (*)(GridLayout, SampleRange, uint4*)>(pixel_columns<kParts>),
         column_entries, grid, range, columns.data());
    loop(ctx, "padded_data", padded_data<float>, batch * range.padded, samples, batch, geometry.points.extent(0), range,
         most.data(), data.data());
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
    launch(ctx, "grid_adjoint", grid_adjoint<kParts>, grid_of(row_blocks, batch * panels, parts.count),
           tuning::grid_threads, tuning::adjoint_stages * sizeof(AdjointStage<kParts>), job);
  });
  if (parts.count == 1) return;
  const Index count = batch * pixels;
  loop(ctx, "add_parts", add_parts<float2, float>, count, partial.data(), parts.count, 1, count, count, count, 1.0,
       images);
}

void forward_in_double(const Context& ctx, const kernels::DftGeometry& geometry, const double2* images,
                       double2* samples, Index batch) {
  const GridLayout grid = layout_of(geometry.image, 2);
  const Index steps = grid.pairs_padded / 2;
  const Index row_tiles = Index{grid.inner_padded / 8} * grid.outer_padded;
  Scratch<double2> rows(ctx, batch * row_tiles * steps * 32);
  loop(ctx, "image_rows", static_cast<void (*)(GridLayout, const double2*, int, double2*)>(image_rows),
       batch * row_tiles * steps * 32, grid, images, batch, rows.data());

  const SampleRuns runs(geometry.points, double_samples);
  const Index column_entries = runs.padded() / 8 * steps * 32;
  RowFactors<double> factors(ctx, grid, runs.padded());
  Scratch<double> columns(ctx, column_entries);
  const Index blocks = runs.padded() / double_samples * batch;
  const Parts parts = parts_for(blocks, row_tiles / 2, 3 * properties_of(ctx).multiProcessorCount, 2);
  Scratch<double2> partial(ctx, parts.count * batch * runs.padded());
  runs.for_each(ctx, [&](const SampleRange& range) {
    factors.fill(ctx, grid, range);
    loop(ctx, "sample_columns", static_cast<void (*)(GridLayout, SampleRange, double*)>(sample_columns),
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
           grid_of(range.padded / double_samples, batch, parts.count), tuning::double_threads, 0, job);
    loop(ctx, "add_parts", add_parts<double2, double>, batch * range.count, partial.data(), parts.count, batch,
         range.padded, range.count, geometry.points.extent(0), geometry.scale, samples + range.first);
  });
}

void adjoint_in_double(const Context& ctx, const kernels::DftGeometry& geometry, const double2* samples,
                       double2* images, Index batch) {
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
    loop(ctx, "pixel_columns", static_cast<void (*)(GridLayout, SampleRange, double*)>(pixel_columns), column_entries,
         grid, range, columns.data());
    loop(ctx, "padded_data", padded_data<double>, batch * range.padded, samples, batch, geometry.points.extent(0),
         range, nullptr, data.data());
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
                                .images = parts.count > 1 ? partial.data() : images};
    launch(ctx, "grid_adjoint_double", grid_adjoint_double, grid_of(row_blocks, columns_of_blocks, parts.count),
           tuning::double_threads, 0, job);
  });
  if (parts.count == 1) return;
  const Index count = batch * pixels;
  loop(ctx, "add_parts", add_parts<double2, double>, count, partial.data(), parts.count, 1, count, count, count, 1.0,
       images);
}

}  // namespace

template <class Real>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* images,
                 std::complex<Real>* samples, Index batch) {
  if constexpr (sizeof(Real) == 8) {
    forward_in_double(ctx, geometry, as_device(images), as_device(samples), batch);
  } else if (geometry.tolerance < tuning::one_part_tolerance) {
    forward_in_halves<2>(ctx, geometry, as_device(images), as_device(samples), batch);
  } else {
    forward_in_halves<1>(ctx, geometry, as_device(images), as_device(samples), batch);
  }
}

template <class Real>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* samples,
                 std::complex<Real>* images, Index batch) {
  if constexpr (sizeof(Real) == 8) {
    adjoint_in_double(ctx, geometry, as_device(samples), as_device(images), batch);
  } else if (geometry.tolerance < tuning::one_part_tolerance) {
    adjoint_in_halves<2>(ctx, geometry, as_device(samples), as_device(images), batch);
  } else {
    adjoint_in_halves<1>(ctx, geometry, as_device(samples), as_device(images), batch);
  }
}

#define WHORL_INSTANTIATE(Real)                                                                     \
  template void dft_forward(const Context&, const kernels::DftGeometry&, const std::complex<Real>*, \
                            std::complex<Real>*, Index);                                            \
  template void dft_adjoint(const Context&, const kernels::DftGeometry&, const std::complex<Real>*, \
                            std::complex<Real>*, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
