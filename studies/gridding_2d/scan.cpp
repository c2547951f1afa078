#include "studies/gridding_2d/scan.hpp"

#include <cmath>

#include "studies/gridding_2d/window.hpp"
#include "whorl/core/random.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::studies::gridding_2d {

namespace {

constexpr double places_per_cell = 256;
constexpr std::uint64_t place_seed = 1;
constexpr std::uint64_t value_seed = 2;

Scan scan_along(const Context& ctx, const std::string& name, Extents grid, const Trajectory& trajectory) {
  Array<std::complex<float>> values(ctx, {trajectory.samples()});
  fill_random_normal<float>(values, value_seed);
  const auto k = trajectory.points.view<2>();
  Scan scan{name, grid, {}};
  for (Index j = 0; j < trajectory.samples(); ++j) {
    scan.samples.push_back({sample_place(k(j, 0) * grid.x, grid.x), sample_place(k(j, 1) * grid.y, grid.y),
                            values.data()[j].real(), values.data()[j].imag()});
  }
  return scan;
}

double cycles(float place, int extent) {
  const double k = static_cast<double>(place) / extent;
  return k > 0.5 ? k - 1 : k;
}

int sector_of(const Extents& grid, int side, const Sample& sample) {
  return static_cast<int>(sample.y) / side * grid.sectors_x(side) + static_cast<int>(sample.x) / side;
}

template <class T>
Array<T> to_context(const Context& ctx, const std::vector<T>& values) {
  const ArrayRef<const T> here(values.data(), {static_cast<Index>(values.size())});
  return clone(ctx, here);
}

}  // namespace

float sample_place(double cells, int extent) {
  const double place = std::round(cells * places_per_cell) / places_per_cell;
  return static_cast<float>(place - extent * std::floor(place / extent));
}

Scan uniform_scan(const Context& ctx, Extents grid, Index samples) {
  return scan_along(ctx, "uniform", grid, random_trajectory(ctx, samples, 2, RandomRegion::box, place_seed));
}

Scan spiral_scan(const Context& ctx, Extents grid) {
  // Neighboring turns and samples are a pixel's Nyquist step apart, 1/N in cycles per pixel, at the edge.
  constexpr Index arms = 24;
  const double pixels = grid.x / 2.0;
  const double turns = pixels / (2.0 * arms);
  const auto samples = static_cast<Index>(std::numbers::pi * turns * pixels);
  return scan_along(ctx, "spiral", grid, spiral_trajectory(ctx, arms, samples, turns));
}

Scan radial_scan(const Context& ctx, Extents grid) {
  const Index pixels = grid.x / 2;
  const auto spokes = static_cast<Index>(std::ceil(std::numbers::pi / 2 * static_cast<double>(pixels)));
  return scan_along(ctx, "radial", grid, radial_trajectory(ctx, spokes, pixels, SpokeOrder::uniform));
}

Array<double> points_of(const Context& ctx, const Scan& scan) {
  Array<double> points(ctx, {static_cast<Index>(scan.samples.size()), 2});
  double* next = points.data();
  for (const Sample& sample : scan.samples) {
    *next++ = cycles(sample.x, scan.grid.x);
    *next++ = cycles(sample.y, scan.grid.y);
  }
  return points;
}

Array<std::complex<double>> values_of(const Context& ctx, const Scan& scan) {
  Array<std::complex<double>> values(ctx, {static_cast<Index>(scan.samples.size())});
  std::complex<double>* next = values.data();
  for (const Sample& sample : scan.samples) *next++ = {sample.real, sample.imag};
  return values;
}

Problem make_problem(const Context& ctx, const Scan& scan, double b, const Sizes& sizes) {
  const auto sector_number = [&](const Sample& sample) {
    return static_cast<std::size_t>(sector_of(scan.grid, sizes.side, sample));
  };
  // Counting sort: how many samples each sector has, where its first one goes, and each to its place.
  std::vector<int> first(static_cast<std::size_t>(scan.grid.sectors(sizes.side)) + 1);
  for (const Sample& sample : scan.samples) ++first[sector_number(sample) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<int> next(first);
  std::vector<Sample> sorted(scan.samples.size());
  for (const Sample& sample : scan.samples) {
    sorted[static_cast<std::size_t>(next[sector_number(sample)]++)] = sample;
  }
  return {scan.grid,
          sizes,
          b,
          to_context(ctx, scan.samples),
          to_context(ctx, sorted),
          to_context(ctx, first),
          to_context(ctx, window_table(b, sizes))};
}

}  // namespace whorl::studies::gridding_2d
