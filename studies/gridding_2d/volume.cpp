#include "studies/gridding_2d/volume.hpp"

#include <cmath>

#include "studies/gridding_2d/scan.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::gridding_2d {

namespace {

/// Calls add(z, y, x, distance squared) for the points that a sample reaches.
template <class Add>
void for_points(const VolumeExtents& grid, const VolumeSample& sample, const Add& add) {
  const int x0 = first_point(sample.x);
  const int y0 = first_point(sample.y);
  const int z0 = first_point(sample.z);
  for (int z = z0; z < z0 + width; ++z) {
    const float dz = static_cast<float>(z) - sample.z;
    for (int y = y0; y < y0 + width; ++y) {
      const float dy = static_cast<float>(y) - sample.y;
      for (int x = x0; x < x0 + width; ++x) {
        const float dx = static_cast<float>(x) - sample.x;
        add(wrapped(z, grid.z), wrapped(y, grid.y), wrapped(x, grid.x), dx * dx + dy * dy + dz * dz);
      }
    }
  }
}

/// One thread; value(squared distance) is the window's.
template <class Value>
void input_driven(const VolumeProblem& problem, const Value& value, ArrayRef<std::complex<float>> grid) {
  fill<std::complex<float>>(grid, {});
  const auto points = grid.view<3>();
  for (const VolumeSample& sample : problem.samples.span()) {
    const std::complex<float> number(sample.real, sample.imag);
    for_points(problem.grid, sample,
               [&](int z, int y, int x, float square) { points(z, y, x) += value(square) * number; });
  }
}

}  // namespace

std::vector<VolumeSample> volume_samples(const Context& ctx, VolumeExtents grid, Index samples) {
  constexpr std::uint64_t place_seed = 3;
  constexpr std::uint64_t value_seed = 4;
  Array<std::complex<float>> values(ctx.host(), {samples});
  fill_random_normal<float>(values, value_seed);
  std::vector<VolumeSample> result;
  for (Index j = 0; j < samples; ++j) {
    const auto draw = static_cast<std::uint64_t>(3 * j);
    const auto place = [&](std::uint64_t axis, int extent) {
      return sample_place(random_uniform(place_seed, draw + axis) * extent, extent);
    };
    result.push_back(
        {place(0, grid.x), place(1, grid.y), place(2, grid.z), values.data()[j].real(), values.data()[j].imag()});
  }
  return result;
}

std::vector<VolumeStep> cpu_volume_steps() {
  return {{"input-driven, exp() at each point", Lookup::exact,
           [](const Context& /*ctx*/, const VolumeProblem& problem, ArrayRef<std::complex<float>> grid) {
             const auto scale = static_cast<float>(-1 / problem.b);
             input_driven(
                 problem, [scale](float square) { return std::exp(scale * square); }, grid);
           }},
          {"input-driven, table of distances", Lookup::distance,
           [](const Context& /*ctx*/, const VolumeProblem& problem, ArrayRef<std::complex<float>> grid) {
             const float* const table = problem.table.data();
             input_driven(
                 problem, [table](float square) { return table[entry_at(std::sqrt(square))]; }, grid);
           }}};
}

Array<std::complex<double>> volume_reference(const Context& host, VolumeExtents grid,
                                             std::span<const VolumeSample> samples, double b, Lookup lookup) {
  Array<std::complex<double>> result = zeros<std::complex<double>>(host, {grid.z, grid.y, grid.x});
  const auto points = result.view<3>();
  for (const VolumeSample& sample : samples) {
    const std::complex<double> number(sample.real, sample.imag);
    for_points(grid, sample, [&](int z, int y, int x, float square) {
      // The root of a square that is exact in float.
      points(z, y, x) +=
          (lookup == Lookup::exact ? std::exp(-double{square} / b) : table_value(b, entry_at(std::sqrt(square)))) *
          number;
    });
  }
  return result;
}

}  // namespace whorl::studies::gridding_2d
