#include "backend/cpu/gridding.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "backend/cpu/gridding_tiles.hpp"
#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Calls visit(tile_row, grid_row, x_begin, grid_x, length) for every stretch of a tile that is contiguous in the
// periodic grid; offsets count points.
template <int Dim, class Visit>
void for_each_stretch(const Tile<Dim>& tile, const std::vector<Index>& grid, const Visit& visit) {
  const Index nx = grid[Dim - 1];
  const Index ny = grid[Dim - 2];
  const Index nz = Dim == 3 ? grid[0] : 1;
  const Index planes = Dim == 3 ? tile.extent[Dim - 1] : 1;
  const Index first_plane = Dim == 3 ? tile.corner[Dim - 1] : 0;
  for (Index z = 0; z < planes; ++z) {
    const Index gz = (first_plane + z) % nz;
    for (Index y = 0; y < tile.extent[1]; ++y) {
      const Index gy = (tile.corner[1] + y) % ny;
      for (Index x = 0; x < tile.extent[0];) {
        const Index gx = (tile.corner[0] + x) % nx;
        const Index length = std::min(tile.extent[0] - x, nx - gx);
        visit((z * tile.extent[1] + y) * tile.extent[0] + x, (gz * ny + gy) * nx + gx, length);
        x += length;
      }
    }
  }
}

template <class Real, int Dim>
class TiledGridding final : public kernels::GriddingPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  TiledGridding(const Context& ctx, const kernels::GriddingGeometry& geometry)
      : tiling_(geometry, ctx.threads()),
        grid_(geometry.grid),
        coefficients_(geometry.window.coefficients.begin(), geometry.window.coefficients.end()),
        degree_(geometry.window.degree),
        width_(geometry.window.width),
        samples_(geometry.points.extent(0)) {
    for (const Index extent : grid_) grid_size_ *= extent;
  }

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    clear(ctx, grids, batch * grid_size_);
    const auto loop = spread_loops_[loop_index()];
    for (Index first = 0; first < batch; first += coils_at_once()) {
      const Index coils = std::min(coils_at_once(), batch - first);
      const auto add_tile = [&](const Tile<Dim>& tile, Real* buffer) {
        const Index size = points(tile);
        std::fill(buffer, buffer + 2 * size * coils, Real(0));
        loop(job(tile), values + first * samples_, samples_, buffer, size, coils);
        for (Index c = 0; c < coils; ++c) {
          auto* grid = reinterpret_cast<Real*>(grids + (first + c) * grid_size_);
          const Real* from = buffer + 2 * size * c;
          for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
            for (Index i = 0; i < 2 * length; ++i) grid[2 * in_grid + i] += from[2 * in_tile + i];
          });
        }
      };
      Buffers memory = buffers(ctx, coils);
      for (const auto& tiles : tiling_.colors) for_each_tile(tiles, memory, add_tile);
    }
  }

  void interpolate(const Context& ctx, const Complex* grids, Complex* values, Index batch) const override {
    const auto loop = interpolate_loops_[loop_index()];
    for (Index first = 0; first < batch; first += coils_at_once()) {
      const Index coils = std::min(coils_at_once(), batch - first);
      Buffers memory = buffers(ctx, coils);
      for_each_tile(tiling_.tiles, memory, [&](const Tile<Dim>& tile, Real* buffer) {
        const Index size = points(tile);
        for (Index c = 0; c < coils; ++c) {
          const auto* grid = reinterpret_cast<const Real*>(grids + (first + c) * grid_size_);
          Real* to = buffer + 2 * size * c;
          for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
            std::copy(grid + 2 * in_grid, grid + 2 * (in_grid + length), to + 2 * in_tile);
          });
        }
        loop(job(tile), buffer, size, values + first * samples_, samples_, coils);
      });
    }
  }

 private:
  using SpreadLoop = void (*)(const TileJob<Real, Dim>&, const Complex*, Index, Real*, Index, Index);
  using InterpolateLoop = void (*)(const TileJob<Real, Dim>&, const Real*, Index, Complex*, Index, Index);
  template <class>
  struct Loops;
  // Entry 0 takes any width, entry w is compiled for width w.
  template <int... Width>
  struct Loops<std::integer_sequence<int, Width...>> {
    static constexpr SpreadLoop spread[] = {spread_tile<Real, Dim, Width>...};
    static constexpr InterpolateLoop interpolate[] = {interpolate_tile<Real, Dim, Width>...};
  };
  using AllLoops = Loops<std::make_integer_sequence<int, max_unrolled_width + 1>>;
  static constexpr auto& spread_loops_ = AllLoops::spread;
  static constexpr auto& interpolate_loops_ = AllLoops::interpolate;

  int loop_index() const { return width_ <= max_unrolled_width ? width_ : 0; }

  static Index points(const Tile<Dim>& tile) {
    Index size = 1;
    for (const Index extent : tile.extent) size *= extent;
    return size;
  }

  // The window is evaluated once for so many coils; their tiles together stay in the second-level cache.
  Index coils_at_once() const {
    constexpr Index cache_bytes = Index{256} * 1024;
    return std::max<Index>(1, cache_bytes / (tiling_.largest_tile * static_cast<Index>(sizeof(Complex)) + 1));
  }

  TileJob<Real, Dim> job(const Tile<Dim>& tile) const {
    return {tiling_.samples.data() + tile.first, tile.count, coefficients_.data(), degree_, width_, tile.extent};
  }

  // Buffers for the tiles that the threads work on.
  struct Buffers {
    Buffers(const Context& ctx, int thread_count, Index coils, Index points)
        : threads(thread_count), stride(2 * coils * points), memory(ctx, {thread_count, coils, points}) {}
    int threads;
    Index stride;
    Array<Complex> memory;
  };

  Buffers buffers(const Context& ctx, Index coils) const {
    // Each sample meets at least 2^dim points and evaluates a window.
    return Buffers(ctx, threads_for(ctx, 16 * coils * samples_), coils, tiling_.largest_tile);
  }

  template <class Work>
  static void for_each_tile(const std::vector<Tile<Dim>>& tiles, Buffers& buffers, const Work& work) {
    auto* memory = reinterpret_cast<Real*>(buffers.memory.data());
#pragma omp parallel for schedule(dynamic, 1) num_threads(buffers.threads)
    for (std::size_t i = 0; i < tiles.size(); ++i) work(tiles[i], memory + omp_get_thread_num() * buffers.stride);
  }

  static void clear(const Context& ctx, Complex* data, Index count) {
    constexpr Index chunk = 1 << 16;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
    for (Index start = 0; start < count; start += chunk) {
      std::fill(data + start, data + std::min(count, start + chunk), Complex(0));
    }
  }

  Tiling<Real, Dim> tiling_;
  std::vector<Index> grid_;
  std::vector<Real> coefficients_;
  int degree_;
  int width_;
  Index samples_;
  Index grid_size_ = 1;
};

}  // namespace

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
  if (geometry.grid.size() == 2) return std::make_shared<const TiledGridding<Real, 2>>(ctx, geometry);
  return std::make_shared<const TiledGridding<Real, 3>>(ctx, geometry);
}

template std::shared_ptr<const kernels::GriddingPlan<float>> make_gridding_plan(const Context&,
                                                                                const kernels::GriddingGeometry&);
template std::shared_ptr<const kernels::GriddingPlan<double>> make_gridding_plan(const Context&,
                                                                                 const kernels::GriddingGeometry&);

}  // namespace whorl::backend::cpu
