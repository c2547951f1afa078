// Adds padded tiles into one grid. A row of the grid is in the tiles of its own row of sectors and, near the edge, in
// those of the next or previous row. Along the row, tiles overlap by the width of a window.
#include <algorithm>

#include "studies/gridding_2d/cpu/kernels.hpp"

namespace whorl::studies::gridding_2d {

namespace {

/// Adds row `local` of every tile of a row of sectors to a row of the grid.
void add_row(const Extents& extents, const float* tiles, int local, float* row) {
  for (int t = 0; t < extents.sectors_x(); ++t) {
    const float* const from = tiles + Index{t} * 2 * padded_points + Index{local} * padded;
    const int corner = t * sector - width / 2;
    if (corner >= 0 && corner + padded <= extents.x) {
      for (int i = 0; i < padded; ++i) row[corner + i] += from[i];
    } else {
      for (int i = 0; i < padded; ++i) row[wrapped(corner + i, extents.x)] += from[i];
    }
  }
}

}  // namespace

void add_tiles_on_host(Extents extents, const float* tiles, int threads, float* grid) {
  const int rows = extents.sectors_y();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int y = 0; y < extents.y; ++y) {
    float* const real = grid + Index{y} * extents.x;
    float* const imag = real + extents.points();
    std::fill_n(real, extents.x, 0.0F);
    std::fill_n(imag, extents.x, 0.0F);
    for (int t = y / sector - 1; t <= y / sector + 1; ++t) {
      const int local = y - t * sector + width / 2;
      if (local < 0 || local >= padded) continue;
      const float* const from = tiles + Index{wrapped(t, rows)} * extents.sectors_x() * 2 * padded_points;
      add_row(extents, from, local, real);
      add_row(extents, from + padded_points, local, imag);
    }
  }
}

}  // namespace whorl::studies::gridding_2d
