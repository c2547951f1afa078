// Sectors in three dimensions on a CPU: a padded tile of 16^3 points, 32 KB, fills the first-level cache while the
// samples of its 8^3 cells are added to it.
#include <algorithm>
#include <cmath>
#include <memory>

#include "studies/gridding_2d/volume.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using Number = std::complex<float>;

constexpr int half_window = width / 2;

struct Corner {
  int z, y, x;
};

/// The first point of a sector's tile.
Corner corner_of(const VolumeExtents& extents, int number) {
  const int columns = VolumeExtents::sectors_along(extents.x);
  const int rows = VolumeExtents::sectors_along(extents.y);
  const auto corner = [](int place) { return place * volume_sector - half_window; };
  return {corner(number / columns / rows), corner(number / columns % rows), corner(number % columns)};
}

/// Points of a tile from a corner on that samples can reach: beyond half a window of the end there are none.
int reached(int corner, int extent) { return std::min(volume_padded, extent + half_window - corner); }

/// value(squared distance) is the window's.
template <class Value>
void by_sectors(const VolumeProblem& problem, const Value& value, int threads, ArrayRef<Number> grid) {
  const int sectors = problem.grid.sectors();
  const auto tiles = std::make_unique_for_overwrite<Number[]>(static_cast<std::size_t>(sectors) * volume_tile_points);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int s = 0; s < sectors; ++s) {
    Number* const tile = tiles.get() + Index{s} * volume_tile_points;
    std::fill_n(tile, volume_tile_points, Number());
    const Corner corner = corner_of(problem.grid, s);
    for (int j = problem.first.data()[s]; j < problem.first.data()[s + 1]; ++j) {
      const VolumeSample& sample = problem.sorted.data()[j];
      const Number number(sample.real, sample.imag);
      const int x0 = first_point(sample.x);
      const int y0 = first_point(sample.y);
      const int z0 = first_point(sample.z);
      for (int z = z0; z < z0 + width; ++z) {
        const float dz = static_cast<float>(z) - sample.z;
        for (int y = y0; y < y0 + width; ++y) {
          const float dy = static_cast<float>(y) - sample.y;
          Number* const row =
              tile + (Index{z - corner.z} * volume_padded + y - corner.y) * volume_padded + x0 - corner.x;
          for (int i = 0; i < width; ++i) {
            const float dx = static_cast<float>(x0 + i) - sample.x;
            row[i] += value(dx * dx + dy * dy + dz * dz) * number;
          }
        }
      }
    }
  }
  add_volume_tiles(problem.grid, tiles.get(), threads, grid.data());
}

auto sectors_by_exp(bool all_threads) {
  return [all_threads](const Context& ctx, const VolumeProblem& problem, ArrayRef<Number> grid) {
    const auto scale = static_cast<float>(-1 / problem.b);
    by_sectors(
        problem, [scale](float square) { return std::exp(scale * square); }, all_threads ? ctx.threads() : 1, grid);
  };
}

}  // namespace

void add_volume_tiles(VolumeExtents extents, const Number* tiles, int threads, Number* grid) {
  const int columns = VolumeExtents::sectors_along(extents.x);
  const int rows = VolumeExtents::sectors_along(extents.y);
  const int layers = VolumeExtents::sectors_along(extents.z);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int z = 0; z < extents.z; ++z) {
    Number* const plane = grid + Index{z} * extents.y * extents.x;
    std::fill_n(plane, Index{extents.y} * extents.x, Number());
    const int own = z / volume_sector;
    for (int t = own - 1; t <= own + 1; ++t) {
      // Layer -1 is the last one, an extent further down; layer `layers` the first one, an extent further up.
      const int layer = wrapped(t, layers);
      const int begin = t < 0 ? layer * volume_sector - extents.z : t < layers ? t * volume_sector : extents.z;
      const int k = z - begin + half_window;
      if (k < 0 || k >= volume_padded) continue;
      for (int s = layer * rows * columns; s < (layer + 1) * rows * columns; ++s) {
        const Corner corner = corner_of(extents, s);
        const Number* const from = tiles + Index{s} * volume_tile_points + Index{k} * volume_padded * volume_padded;
        for (int j = 0; j < reached(corner.y, extents.y); ++j) {
          Number* const row = plane + Index{wrapped(corner.y + j, extents.y)} * extents.x;
          for (int i = 0; i < reached(corner.x, extents.x); ++i) {
            row[wrapped(corner.x + i, extents.x)] += from[j * volume_padded + i];
          }
        }
      }
    }
  }
}

std::vector<VolumeStep> cpu_volume_sector_steps() {
  const auto by_table = [](const Context& ctx, const VolumeProblem& problem, ArrayRef<Number> grid) {
    const float* const table = problem.table.data();
    by_sectors(
        problem, [table](float square) { return table[entry_at(std::sqrt(square))]; }, ctx.threads(), grid);
  };
  return {{"sector-driven, exp()", Lookup::exact, sectors_by_exp(false)},
          {"sector-driven, exp(), all threads", Lookup::exact, sectors_by_exp(true)},
          {"sector-driven, table, all threads", Lookup::distance, by_table}};
}

}  // namespace whorl::studies::gridding_2d
