#include "backend/cpu/nufft/gridding_tiles.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// Tiles of this many points along each axis: with a halo and a few coils they stay in the second-level cache.
template <int Dim>
constexpr Index tile_points = Dim == 1 ? 256 : (Dim == 2 ? 32 : 16);

// Lines of a strip of a tile.
template <int Dim>
constexpr Index strip = Dim == 1 ? 1 : 8;

// Tiles along one axis: an even number, so that neighbors alternate in color also across the period's end, each at
// least as long as its halo; or one tile for the whole axis.
struct AxisTiles {
  Index points;
  Index count;

  AxisTiles(Index grid_points, Index wanted, Index width) : points(grid_points) {
    count = grid_points / std::max(wanted, width) / 2 * 2;
    if (count < 2) count = 1;
  }

  Index corner(Index tile) const { return tile * points / count; }
  // The tile that holds a point: the inverse of corner().
  Index of(Index point) const { return ((point + 1) * count - 1) / points; }
  int colors() const { return count == 1 ? 1 : 2; }
};

// Numbers of all axes, x first.
template <int Dim>
std::vector<AxisTiles> axes_of(const kernels::GridLayout& grid, int width) {
  std::vector<AxisTiles> axes;
  for (std::size_t axis = 0; axis < Dim; ++axis) axes.emplace_back(grid.extent[2 - axis], tile_points<Dim>, width);
  return axes;
}

Index count_of(const std::vector<AxisTiles>& axes) {
  Index count = 1;
  for (const AxisTiles& axis : axes) count *= axis.count;
  return count;
}

struct AxisPosition {
  Index start;
  double u;
};

// The first grid point under the window, and the polynomial's argument. Computed in double whatever the precision of
// the samples, so that single precision does not blur the positions on large grids.
AxisPosition locate(double k, Index grid_points, int width) {
  const double position = k * static_cast<double>(grid_points);
  const double begin = position - 0.5 * width;
  const double first = std::ceil(begin);
  const auto start = static_cast<Index>(first);
  return {((start % grid_points) + grid_points) % grid_points, 2 * (first - begin) - 1};
}

}  // namespace

template <int Dim>
Index largest_tile(const kernels::GridLayout& grid, int width) {
  Index points = 1;
  for (const AxisTiles& tiles : axes_of<Dim>(grid, width)) {
    points *= divide_up(tiles.points, tiles.count) + width - 1;
  }
  return points;
}

template Index largest_tile<1>(const kernels::GridLayout&, int);
template Index largest_tile<2>(const kernels::GridLayout&, int);
template Index largest_tile<3>(const kernels::GridLayout&, int);

template <class Real, int Dim>
Tiling<Real, Dim>::Tiling(const Context& ctx, const kernels::GriddingGeometry& geometry)
    : index(ctx, {geometry.points.extent(0)}),
      place(ctx, {geometry.points.extent(0)}),
      samples(ctx, {geometry.points.extent(0)}) {
  const int threads = ctx.threads();
  const auto points = geometry.points.template view<2>();
  const int width = geometry.window.width;
  const Index sample_count = points.extent(0);

  const std::vector<AxisTiles> axes = axes_of<Dim>(geometry.grid, width);
  const Index tile_count = count_of(axes);

  Array<TileSample<Real, Dim>> placed_samples(ctx, {sample_count});
  Array<std::int32_t> tiles_of_samples(ctx, {sample_count});
  TileSample<Real, Dim>* const placed = placed_samples.data();
  std::int32_t* const tile_of = tiles_of_samples.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index j = 0; j < sample_count; ++j) {
    TileSample<Real, Dim> sample;
    Index tile = 0;
    for (int axis = Dim - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const AxisPosition position = locate(points(j, axis), axes[a].points, width);
      const Index along = axes[a].of(position.start);
      sample.start[a] = static_cast<std::int32_t>(position.start - axes[a].corner(along));
      sample.u[a] = static_cast<Real>(position.u);
      tile = tile * axes[a].count + along;
    }
    placed[j] = sample;
    tile_of[j] = static_cast<std::int32_t>(tile);
  }

  // Counting sort, stable: the samples of a tile keep the order of acquisition.
  std::vector<Index> first(static_cast<std::size_t>(tile_count) + 1);
  for (Index j = 0; j < sample_count; ++j) ++first[static_cast<std::size_t>(tile_of[j]) + 1];
  for (std::size_t tile = 0; tile + 1 < first.size(); ++tile) first[tile + 1] += first[tile];
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (Index j = 0; j < sample_count; ++j) {
    const Index to = next[static_cast<std::size_t>(tile_of[j])]++;
    samples.data()[to] = placed[j];
    index.data()[to] = static_cast<std::int32_t>(j);
  }
  std::vector<Index> fullest_cell(static_cast<std::size_t>(tile_count));  // of any part
  detail::parallel_for(ctx, "sorting", 0, tile_count, [&](Index number) {
    const auto tile = static_cast<std::size_t>(number);
    for (Index begin = first[tile]; begin < first[tile + 1]; begin += part_samples) {
      const Index fullest = sort_by_cell(begin, std::min(part_samples, first[tile + 1] - begin));
      fullest_cell[tile] = std::max(fullest_cell[tile], fullest);
    }
  });

  colors.resize(std::size_t{1} << Dim);
  for (Index t = 0; t < tile_count; ++t) {
    const auto i = static_cast<std::size_t>(t);
    if (first[i] == first[i + 1]) continue;
    Tile<Dim> tile{.corner = {}, .extent = {}, .first = first[i], .count = first[i + 1] - first[i], .apart = true};
    std::size_t color = 0;
    Index rest = t;
    Index size = 1;
    for (std::size_t axis = 0; axis < Dim; ++axis) {
      const Index along = rest % axes[axis].count;
      rest /= axes[axis].count;
      tile.corner[axis] = axes[axis].corner(along);
      tile.extent[axis] = axes[axis].corner(along + 1) - tile.corner[axis] + width - 1;
      size *= tile.extent[axis];
      tile.apart &= tile.corner[axis] + tile.extent[axis] <= axes[axis].points;
      color = 2 * color + static_cast<std::size_t>(along % axes[axis].colors());
    }
    // The next tile of the same color is one tile away; the loops may add zeros that far past the halo.
    tile.apart &= width - 1 + row_slack / 2 <= axes[0].points / axes[0].count;
    const Index last_row = tile.corner_along(1) + tile.extent_along(1) - 1;
    const Index end = last_row * geometry.grid.row + tile.corner[0] + tile.extent[0];
    tile.apart &= end + row_slack / 2 <= geometry.grid.extent[1] * geometry.grid.row;  // not past the rows of its plane
    largest_tile = std::max(largest_tile, size);
    if (std::is_same_v<Real, float> && (tile.count > most_summed_samples || fullest_cell[i] > most_summed_in_cell)) {
      tile.crowded = true;
      largest_crowded = std::max(largest_crowded, size);
    }
    colors[color].push_back(tile);
    tiles.push_back(tile);
  }
  const auto fullest_first = [](std::vector<Tile<Dim>>& list) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  };
  fullest_first(tiles);
  for (auto& list : colors) fullest_first(list);
}

// Counting sort of the samples of a part by their cell of the grid, y fastest: samples of one cell are adjacent,
// followed by samples whose rows lie at the same places of neighboring lines. A processor forwards such rows from its
// stores to its loads, but not rows that overlap in part. The cells are in strips of a few lines; a strip of all coils
// stays in the first-level cache.
template <class Real, int Dim>
Index Tiling<Real, Dim>::sort_by_cell(Index first, Index count) {
  static_assert(part_samples <= std::numeric_limits<std::uint16_t>::max());
  TileSample<Real, Dim>* const begin_of_part = samples.data() + first;
  const std::vector<TileSample<Real, Dim>> part(begin_of_part, begin_of_part + count);
  std::array<std::int32_t, 3> extent{1, 1, 1};
  for (const auto& sample : part) {
    for (std::size_t axis = 0; axis < Dim; ++axis) extent[axis] = std::max(extent[axis], sample.start[axis] + 1);
  }
  const Index strips = divide_up(extent[1], strip<Dim>);
  const auto cell_of = [&](const TileSample<Real, Dim>& sample) {
    const Index z = Dim == 3 ? sample.start[Dim - 1] : 0;
    const Index y = Dim >= 2 ? sample.start[Dim == 1 ? 0 : 1] : 0;
    return static_cast<std::size_t>(((z * strips + y / strip<Dim>)*extent[0] + sample.start[0]) * strip<Dim> +
                                    y % strip<Dim>);
  };
  const Index cells = extent[2] * strips * extent[0] * strip<Dim>;
  std::vector<std::uint16_t> next(static_cast<std::size_t>(cells) + 1);
  for (const auto& sample : part) ++next[cell_of(sample) + 1];
  const Index fullest = *std::max_element(next.begin(), next.end());
  for (std::size_t cell = 0; cell + 1 < next.size(); ++cell) {
    next[cell + 1] = static_cast<std::uint16_t>(next[cell + 1] + next[cell]);
  }
  std::uint16_t* const places = place.data() + first;
  for (Index s = 0; s < count; ++s) {
    const auto& sample = part[static_cast<std::size_t>(s)];
    places[s] = next[cell_of(sample)]++;
    begin_of_part[places[s]] = sample;
  }
  return fullest;
}

template struct Tiling<float, 1>;
template struct Tiling<float, 2>;
template struct Tiling<float, 3>;
template struct Tiling<double, 1>;
template struct Tiling<double, 2>;
template struct Tiling<double, 3>;

}  // namespace whorl::backend::cpu
