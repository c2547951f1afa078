// Three dimensions: the library's gridding as a step, and the table.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "bench/timing.hpp"
#include "studies/gridding_2d/volume.hpp"
#include "whorl/op/gridding.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using VolumeComplex = std::complex<float>;

double cycles_per_voxel(float place, int extent) {
  const double k = static_cast<double>(place) / extent;
  return k > 0.5 ? k - 1 : k;
}

template <class T>
Array<T> to_context(const Context& ctx, std::span<const T> values) {
  return clone(ctx, ArrayRef<const T>(values.data(), {static_cast<Index>(values.size())}));
}

}  // namespace

VolumeProblem make_volume_problem(const Context& ctx, VolumeExtents grid, std::span<const VolumeSample> samples,
                                  double b) {
  const std::vector<float> table = window_table(b);
  const auto number = [&](const VolumeSample& sample) {
    const auto along = [](float place) { return static_cast<int>(place) / volume_sector; };
    const int row = along(sample.z) * VolumeExtents::sectors_along(grid.y) + along(sample.y);
    return static_cast<std::size_t>(row) * VolumeExtents::sectors_along(grid.x) +
           static_cast<std::size_t>(along(sample.x));
  };
  // Counting sort, as in make_problem.
  std::vector<int> first(static_cast<std::size_t>(grid.sectors()) + 1);
  for (const VolumeSample& sample : samples) ++first[number(sample) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<int> next(first);
  std::vector<VolumeSample> sorted(samples.size());
  for (const VolumeSample& sample : samples) sorted[static_cast<std::size_t>(next[number(sample)]++)] = sample;
  return {grid,
          b,
          to_context(ctx, samples),
          to_context(ctx, std::span<const VolumeSample>(sorted)),
          to_context(ctx, std::span<const int>(first)),
          to_context(ctx, std::span<const float>(table))};
}

std::vector<VolumeStep> volume_steps_on(const Context& ctx) {
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  std::vector<VolumeStep> steps = gpu ? gpu_volume_steps() : cpu_volume_steps();
  for (VolumeStep& step : gpu ? gpu_volume_sector_steps() : cpu_volume_sector_steps()) steps.push_back(std::move(step));
  return steps;
}

VolumeStep volume_product_step(const Context& ctx, VolumeExtents grid, std::span<const VolumeSample> samples) {
  const auto count = static_cast<Index>(samples.size());
  Array<double> points(ctx.host(), {count, 3});
  Array<VolumeComplex> values(ctx.host(), {1, count});
  for (Index j = 0; j < count; ++j) {
    const VolumeSample& sample = samples[static_cast<std::size_t>(j)];
    points.view<2>()(j, 0) = cycles_per_voxel(sample.x, grid.x);
    points.view<2>()(j, 1) = cycles_per_voxel(sample.y, grid.y);
    points.view<2>()(j, 2) = cycles_per_voxel(sample.z, grid.z);
    values.data()[j] = {sample.real, sample.imag};
  }
  const auto gridding = std::make_shared<const Gridding<float>>(ctx, points, Shape{grid.z, grid.y, grid.x},
                                                                Window(WindowKind::gaussian, width, 2));
  const auto here = std::make_shared<const Array<VolumeComplex>>(clone(ctx, values.ref()));
  return {"gridding", Lookup::exact,
          [gridding, here](const Context& on, const VolumeProblem& /*problem*/, ArrayRef<VolumeComplex> to) {
            gridding->adjoint(on, *here, to.reshape(gridding->domain()));
          },
          true};
}

double volume_error(const Context& ctx, ArrayRef<const VolumeComplex> grid,
                    const Array<std::complex<double>>& expected) {
  const Array<VolumeComplex> here = to_host(ctx, grid);
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < expected.size(); ++i) {
    difference += std::norm(std::complex<double>(here.data()[i]) - expected.data()[i]);
    total += std::norm(expected.data()[i]);
  }
  return std::sqrt(difference / total);
}

Table volume_table(const Context& ctx, VolumeExtents grid, Index samples) {
  double first_ms = 0;
  Table table{"volume",
              fmt::format("Three dimensions: {} samples to {} x {} x {}", samples, grid.z, grid.y, grid.x),
              {"step", "ms", "x first", "error", "error, own window"},
              {}};
  const std::vector<VolumeSample> scan = volume_samples(ctx, grid, samples);
  const VolumeProblem problem = make_volume_problem(ctx, grid, scan, best_b);
  std::vector<VolumeStep> steps = volume_steps_on(ctx);
  steps.push_back(volume_product_step(ctx, grid, scan));
  const auto exact = volume_reference(ctx.host(), grid, scan, best_b, Lookup::exact);
  const auto by_table = volume_reference(ctx.host(), grid, scan, best_b, Lookup::distance);
  Array<VolumeComplex> result(ctx, exact.shape());
  for (const VolumeStep& step : steps) {
    const auto work = [&] { step.run(ctx, problem, result); };
    const double ms = bench::time_work(ctx, bench::Effort::brief, work).median_ms;
    if (first_ms == 0) first_ms = ms;
    table.rows.push_back({step.product ? step.name + " (the library)" : step.name, ms,
                          table.rows.empty() ? Cell() : Cell(first_ms / ms), volume_error(ctx, result, exact),
                          volume_error(ctx, result, step.lookup == Lookup::exact ? exact : by_table)});
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
