#include "backend/cpu/gridding.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "backend/cpu/gridding_tiles.hpp"
#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Calls visit(place in the tile, place in the grid, length) for every stretch of a tile that is contiguous in the
// periodic grid; places count points.
template <int Dim, class Visit>
void for_each_stretch(const Tile<Dim>& tile, const kernels::GridLayout& grid, const Visit& visit) {
  const auto [nz, ny, nx] = grid.extent;
  const Index planes = Dim == 3 ? tile.extent[Dim - 1] : 1;
  const Index first_plane = Dim == 3 ? tile.corner[Dim - 1] : 0;
  for (Index z = 0; z < planes; ++z) {
    const Index gz = (first_plane + z) % nz;
    for (Index y = 0; y < tile.extent[1]; ++y) {
      const Index gy = (tile.corner[1] + y) % ny;
      for (Index x = 0; x < tile.extent[0];) {
        const Index gx = (tile.corner[0] + x) % nx;
        const Index length = std::min(tile.extent[0] - x, nx - gx);
        visit((z * tile.extent[1] + y) * tile.extent[0] + x, gz * grid.plane + gy * grid.row + gx, length);
        x += length;
      }
    }
  }
}

TileLoops<float, 2> loops_of(int width, std::integral_constant<int, 2> /*dim*/, float real) {
  return simd_loops_2d(width, real);
}
TileLoops<double, 2> loops_of(int width, std::integral_constant<int, 2> /*dim*/, double real) {
  return simd_loops_2d(width, real);
}
TileLoops<float, 3> loops_of(int width, std::integral_constant<int, 3> /*dim*/, float real) {
  return simd_loops_3d(width, real);
}
TileLoops<double, 3> loops_of(int width, std::integral_constant<int, 3> /*dim*/, double real) {
  return simd_loops_3d(width, real);
}

template <class Real, int Dim>
TileLoops<Real, Dim> loops_for(int width) {
  if (width > max_simd_width) return reference_loops<Real, Dim>();
  return loops_of(width, std::integral_constant<int, Dim>(), Real());
}

template <class Real, int Dim>
class TiledGridding final : public kernels::GriddingPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  TiledGridding(const Context& ctx, const kernels::GriddingGeometry& geometry)
      : tiling_(geometry, ctx.threads()),
        grid_(geometry.grid),
        window_(geometry.window),
        loops_(loops_for<Real, Dim>(geometry.window.width)),
        samples_(geometry.points.extent(0)) {}

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    clear(ctx, grids, batch * grid_.size());
    for (Index first = 0; first < batch; first += coils_at_once()) {
      const Index coils = std::min(coils_at_once(), batch - first);
      const auto add_tile = [&](const Tile<Dim>& tile, Real* buffer) {
        const Index stride = tile_stride(points(tile));
        std::fill(buffer, buffer + stride * coils, Real(0));
        // In the order of the samples first: in the loops the processor would wait for each value from far away.
        auto* sorted = reinterpret_cast<Complex*>(buffer + tile_stride(tiling_.largest_tile) * coils);
        const TileSample<Real, Dim>* samples = tiling_.samples.data() + tile.first;
        for_each_part(tile, [&](Index begin, Index count) {
          for (Index c = 0; c < coils; ++c) {
            const Complex* from = values + (first + c) * samples_;
            for (Index s = 0; s < count; ++s) sorted[c * part_samples + s] = from[samples[begin + s].index];
          }
          loops_.spread(job(tile, begin, count), sorted, part_samples, buffer, stride, coils);
        });
        for (Index c = 0; c < coils; ++c) {
          auto* grid = reinterpret_cast<Real*>(grids + (first + c) * grid_.size());
          const Real* from = buffer + stride * c;
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
    for (Index first = 0; first < batch; first += coils_at_once()) {
      const Index coils = std::min(coils_at_once(), batch - first);
      Buffers memory = buffers(ctx, coils);
      for_each_tile(tiling_.tiles, memory, [&](const Tile<Dim>& tile, Real* buffer) {
        const Index size = points(tile);
        const Index stride = tile_stride(size);
        for (Index c = 0; c < coils; ++c) {
          const auto* grid = reinterpret_cast<const Real*>(grids + (first + c) * grid_.size());
          Real* to = buffer + stride * c;
          for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
            std::copy(grid + 2 * in_grid, grid + 2 * (in_grid + length), to + 2 * in_tile);
          });
          std::fill(to + 2 * size, to + stride, Real(0));
        }
        auto* sorted = reinterpret_cast<Complex*>(buffer + tile_stride(tiling_.largest_tile) * coils);
        const TileSample<Real, Dim>* samples = tiling_.samples.data() + tile.first;
        for_each_part(tile, [&](Index begin, Index count) {
          loops_.interpolate(job(tile, begin, count), buffer, stride, sorted, part_samples, coils);
          for (Index c = 0; c < coils; ++c) {
            Complex* to = values + (first + c) * samples_;
            for (Index s = 0; s < count; ++s) to[samples[begin + s].index] = sorted[c * part_samples + s];
          }
        });
      });
    }
  }

 private:
  static Index points(const Tile<Dim>& tile) {
    Index size = 1;
    for (const Index extent : tile.extent) size *= extent;
    return size;
  }

  static constexpr Index part_samples = 256;

  static Index tile_stride(Index points) { return 2 * points + tile_slack; }

  // The window is evaluated once for so many coils; their tiles together stay in the second-level cache.
  Index coils_at_once() const {
    constexpr Index cache_bytes = Index{256} * 1024;
    return std::max<Index>(1, cache_bytes / (tiling_.largest_tile * static_cast<Index>(sizeof(Complex)) + 1));
  }

  TileJob<Real, Dim> job(const Tile<Dim>& tile, Index begin, Index count) const {
    return {tiling_.samples.data() + tile.first + begin, count, &window_, tile.extent};
  }

  // The samples of a tile in parts whose values stay in the first-level cache.
  template <class Work>
  static void for_each_part(const Tile<Dim>& tile, const Work& work) {
    for (Index begin = 0; begin < tile.count; begin += part_samples) {
      work(begin, std::min(part_samples, tile.count - begin));
    }
  }

  // Buffers for the tiles that the threads work on.
  struct Buffers {
    Buffers(const Context& ctx, int thread_count, Index coils, Index points)
        : threads(thread_count),
          stride(coils * (tile_stride(points) + 2 * part_samples)),
          memory(ctx, {thread_count, stride}) {}
    int threads;
    Index stride;
    Array<Real> memory;
  };

  Buffers buffers(const Context& ctx, Index coils) const {
    // Each sample meets at least 2^dim points and evaluates a window.
    return Buffers(ctx, threads_for(ctx, 16 * coils * samples_), coils, tiling_.largest_tile);
  }

  template <class Work>
  static void for_each_tile(const std::vector<Tile<Dim>>& tiles, Buffers& buffers, const Work& work) {
    Real* const memory = buffers.memory.data();
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
  kernels::GridLayout grid_;
  WindowTable<Real> window_;
  TileLoops<Real, Dim> loops_;
  Index samples_;
};

}  // namespace

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
  if (geometry.points.extent(1) == 2) return std::make_shared<const TiledGridding<Real, 2>>(ctx, geometry);
  return std::make_shared<const TiledGridding<Real, 3>>(ctx, geometry);
}

template std::shared_ptr<const kernels::GriddingPlan<float>> make_gridding_plan(const Context&,
                                                                                const kernels::GriddingGeometry&);
template std::shared_ptr<const kernels::GriddingPlan<double>> make_gridding_plan(const Context&,
                                                                                 const kernels::GriddingGeometry&);

}  // namespace whorl::backend::cpu
