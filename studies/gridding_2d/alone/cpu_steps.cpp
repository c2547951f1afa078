// The optimizations alone on a CPU: the first loop, and in each of the others one thing that differs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "studies/gridding_2d/alone/steps.hpp"

namespace whorl::studies::gridding_2d {

namespace {

struct ExactWeight {
  float scale;  // -1 / b
  float operator()(float dx, float dy) const { return std::exp(scale * (dx * dx + dy * dy)); }
};

struct TableWeight {
  const float* table;
  int per_cell;
  float operator()(float dx, float dy) const { return table[entry_at(std::sqrt(dx * dx + dy * dy), per_cell)]; }
};

ExactWeight exact(const Problem& problem) { return {static_cast<float>(-1 / problem.b)}; }
TableWeight by_table(const Problem& problem) { return {problem.table.data(), problem.sizes.entries}; }

/// Complex numbers, or real and imaginary parts in two arrays.
struct ComplexPoints {
  float* numbers;
  void add(Index point, float w, const Sample& sample) const {
    numbers[2 * point] += w * sample.real;
    numbers[2 * point + 1] += w * sample.imag;
  }
};
struct SplitPoints {
  float* real;
  float* imag;
  void add(Index point, float w, const Sample& sample) const {
    real[point] += w * sample.real;
    imag[point] += w * sample.imag;
  }
};

ComplexPoints complex_points(const Problem& /*problem*/, ArrayRef<float> grid) { return {grid.data()}; }
SplitPoints split_points(const Problem& problem, ArrayRef<float> grid) {
  return {grid.data(), grid.data() + problem.grid.points()};
}

/// One sample after the other, one thread.
template <class Weight, class Points>
void input_driven(const Problem& problem, const Weight& weight, const Points& points, ArrayRef<float> grid) {
  fill<float>(grid, 0);
  const Extents extents = problem.grid;
  const int window = problem.sizes.window;
  for (const Sample& sample : problem.samples.span()) {
    const int x0 = first_point(sample.x, window);
    const int y0 = first_point(sample.y, window);
    for (int y = y0; y < y0 + window; ++y) {
      const Index row = Index{wrapped(y, extents.y)} * extents.x;
      for (int x = x0; x < x0 + window; ++x) {
        const float w = weight(static_cast<float>(x) - sample.x, static_cast<float>(y) - sample.y);
        points.add(row + wrapped(x, extents.x), w, sample);
      }
    }
  }
}

/// Adds a tile of complex numbers to the grid. Points beyond half a window of the grid's end are zero.
void add_tile(const Problem& problem, int corner_y, int corner_x, const float* tile, float* grid) {
  const Extents extents = problem.grid;
  const Sizes& sizes = problem.sizes;
  const int edge = sizes.padded_side();
  const int rows = std::min(edge, extents.y + sizes.window / 2 - corner_y);
  const int columns = std::min(edge, extents.x + sizes.window / 2 - corner_x);
  for (int j = 0; j < rows; ++j) {
    float* const row = grid + 2 * Index{wrapped(corner_y + j, extents.y)} * extents.x;
    const float* const from = tile + 2 * Index{j} * edge;
    for (int i = 0; i < columns; ++i) {
      const Index at = 2 * Index{wrapped(corner_x + i, extents.x)};
      row[at] += from[Index{2} * i];
      row[at + 1] += from[2 * i + 1];
    }
  }
}

/// Sector by sector into padded tiles of complex numbers, which one thread adds afterwards.
template <class Weight>
void sector_driven(const Problem& problem, const Weight& weight, int threads, ArrayRef<float> grid) {
  const Sizes& sizes = problem.sizes;
  const int edge = sizes.padded_side();
  const Index numbers = 2 * Index{edge} * edge;
  const int columns = problem.grid.sectors_x(sizes.side);
  const int sectors = problem.grid.sectors(sizes.side);
  const auto corner = [&](int number) { return number * sizes.side - sizes.window / 2; };
  std::vector<float> tiles(static_cast<std::size_t>(sectors * numbers));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int s = 0; s < sectors; ++s) {
    const ComplexPoints tile{tiles.data() + s * numbers};
    const int corner_y = corner(s / columns);
    const int corner_x = corner(s % columns);
    for (int j = problem.first.data()[s]; j < problem.first.data()[s + 1]; ++j) {
      const Sample& sample = problem.sorted.data()[j];
      const int y0 = first_point(sample.y, sizes.window);
      const int x0 = first_point(sample.x, sizes.window);
      for (int y = y0; y < y0 + sizes.window; ++y) {
        for (int x = x0; x < x0 + sizes.window; ++x) {
          const float w = weight(static_cast<float>(x) - sample.x, static_cast<float>(y) - sample.y);
          tile.add(Index{y - corner_y} * edge + x - corner_x, w, sample);
        }
      }
    }
  }
  fill<float>(grid, 0);
  for (int s = 0; s < sectors; ++s) {
    add_tile(problem, corner(s / columns), corner(s % columns), tiles.data() + s * numbers, grid.data());
  }
}

}  // namespace

std::vector<Step> cpu_alone_steps() {
  return {
      {.name = "input-driven, exp() at each point",
       .layout = Layout::interleaved,
       .run = [](const Context& /*ctx*/, const Problem& problem,
                 ArrayRef<float> grid) { input_driven(problem, exact(problem), complex_points(problem, grid), grid); }},
      {.name = "real and imaginary parts apart",
       .run = [](const Context& /*ctx*/, const Problem& problem,
                 ArrayRef<float> grid) { input_driven(problem, exact(problem), split_points(problem, grid), grid); }},
      {.name = "window from the table",
       .lookup = Lookup::distance,
       .layout = Layout::interleaved,
       .run =
           [](const Context& /*ctx*/, const Problem& problem, ArrayRef<float> grid) {
             input_driven(problem, by_table(problem), complex_points(problem, grid), grid);
           }},
      {.name = "sector-driven, padded tiles",
       .layout = Layout::interleaved,
       .run = [](const Context& /*ctx*/, const Problem& problem,
                 ArrayRef<float> grid) { sector_driven(problem, exact(problem), 1, grid); }},
      {.name = "sector-driven by all threads",
       .layout = Layout::interleaved,
       .run = [](const Context& ctx, const Problem& problem,
                 ArrayRef<float> grid) { sector_driven(problem, exact(problem), ctx.threads(), grid); }},
  };
}

Step cpu_sector_step() {
  return {.name = "sector-driven, table, all threads",
          .lookup = Lookup::distance,
          .layout = Layout::interleaved,
          .run = [](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
            sector_driven(problem, by_table(problem), ctx.threads(), grid);
          }};
}

}  // namespace whorl::studies::gridding_2d
