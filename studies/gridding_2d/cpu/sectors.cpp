// Sector by sector: a tile of 40 x 40 points, 12.8 KB, stays in the first-level cache while the samples of its 32 x 32
// cells are added to it. No sample reaches beyond its tile, so threads work on separate tiles independently. The
// overlaps of tiles are added at the end, row by row.
//
// The last step needs no distances: a Gaussian of the distance is a product of one of x and one of y. That takes 16
// look-ups per sample instead of 64, and no root. The inner loop multiplies and adds eight neighbors, two vectors of
// four.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// step: sector-driven, padded tiles
/// Adds a sample to a tile, of which `at` is where the sample's first point lies.
void add_by_distance(const float* table, const Sample& sample, float* at) {
  const int x0 = first_point(sample.x);
  const int y0 = first_point(sample.y);
  for (int j = 0; j < width; ++j) {
    const float dy = static_cast<float>(y0 + j) - sample.y;
    for (int i = 0; i < width; ++i) {
      const float dx = static_cast<float>(x0 + i) - sample.x;
      const float w = table[entry_at(std::sqrt(dx * dx + dy * dy))];
      at[j * padded + i] += w * sample.real;
      at[padded_points + j * padded + i] += w * sample.imag;
    }
  }
}
// end of step

// step: a window for each axis, vectors; sectors by all threads
std::array<float, width> along_axis(const float* table, float place) {
  std::array<float, width> values{};
  const int first = first_point(place);
  int i = first;
  for (float& value : values) value = table[entry_at(std::abs(static_cast<float>(i++) - place))];
  return values;
}

void add_by_axes(const float* table, const Sample& sample, float* at) {
  const std::array<float, width> along_x = along_axis(table, sample.x);
  for (const float along_y : along_axis(table, sample.y)) {
    const float real = along_y * sample.real;
    const float imag = along_y * sample.imag;
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      at[i] += real * along_x[static_cast<std::size_t>(i)];
      at[padded_points + i] += imag * along_x[static_cast<std::size_t>(i)];
    }
    at += padded;
  }
}
// end of step

// step: sector-driven, padded tiles; a window for each axis, vectors; sectors by all threads
template <class Add>
void grid_by_sectors(const Problem& problem, int threads, const Add& add, ArrayRef<float> grid) {
  const Extents extents = problem.grid;
  const int sectors = extents.sectors();
  const auto tiles = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(sectors) * 2 * padded_points);
  const float* const table = problem.table.data();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int s = 0; s < sectors; ++s) {
    float* const tile = tiles.get() + Index{s} * 2 * padded_points;
    std::fill_n(tile, 2 * padded_points, 0.0F);
    const int corner_y = s / extents.sectors_x() * sector - width / 2;
    const int corner_x = s % extents.sectors_x() * sector - width / 2;
    for (int j = problem.first.data()[s]; j < problem.first.data()[s + 1]; ++j) {
      const Sample& sample = problem.sorted.data()[j];
      const int y = first_point(sample.y) - corner_y;
      const int x = first_point(sample.x) - corner_x;
      add(table, sample, tile + Index{y} * padded + x);
    }
  }
  add_tiles_on_host(extents, tiles.get(), threads, grid.data());
}
// end of step

}  // namespace

// step: sector-driven, padded tiles
void sectors_on_host(const Problem& problem, int threads, ArrayRef<float> grid) {
  grid_by_sectors(problem, threads, add_by_distance, grid);
}
// end of step

// step: a window for each axis, vectors; sectors by all threads
void vectors_on_host(const Problem& problem, int threads, ArrayRef<float> grid) {
  grid_by_sectors(problem, threads, add_by_axes, grid);
}
// end of step

}  // namespace whorl::studies::gridding_2d
