#include "backend/cpu/gridding.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
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
        const Target target = target_of(tile, reinterpret_cast<Real*>(grids + first * grid_.size()), buffer);
        if (tile.apart) {
          fetch<1>(tile, target, coils);
        } else {
          std::fill(buffer, buffer + target.stride * coils, Real(0));
        }
        Complex* const sorted = values_of_part(buffer, coils);
        for_each_part(tile, [&](Index begin, Index count) {
          sort_values(values + first * samples_, begin, count, coils, sorted);
          loops_.spread(job(target, begin, count), sorted, part_samples, target.corner, target.stride, coils);
        });
        if (tile.apart) return;
        for (Index c = 0; c < coils; ++c) {
          auto* grid = reinterpret_cast<Real*>(grids + (first + c) * grid_.size());
          const Real* from = buffer + target.stride * c;
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
        // The loops do not write to what they read from.
        auto* const batch_grids = reinterpret_cast<Real*>(const_cast<Complex*>(grids + first * grid_.size()));
        const Target target = target_of(tile, batch_grids, buffer);
        if (tile.apart) {
          fetch<0>(tile, target, coils);
        } else {
          copy_tile(tile, batch_grids, coils, buffer, target.stride);
        }
        Complex* const sorted = values_of_part(buffer, coils);
        for_each_part(tile, [&](Index begin, Index count) {
          loops_.interpolate(job(target, begin, count), target.corner, target.stride, sorted, part_samples, coils);
          return_values(sorted, begin, count, coils, values + first * samples_);
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

  // As one move, where assignment would be two.
  static void move_one(const Complex* from, Complex* to) { std::memcpy(to, from, sizeof(Complex)); }

  static constexpr Index part_samples = Tiling<Real, Dim>::part_samples;

  // Values of a part from the order of acquisition to that of the loops.
  void sort_values(const Complex* values, Index begin, Index count, Index coils, Complex* sorted) const {
    const std::int32_t* const index = tiling_.index.data() + begin;
    const std::uint16_t* const place = tiling_.place.data() + begin;
    for (Index c = 0; c < coils; ++c) {
      const Complex* const from = values + c * samples_;
      Complex* const to = sorted + c * part_samples;
      Index s = 0;
      for (; s < count - prefetch_samples; ++s) {
        __builtin_prefetch(from + index[s + prefetch_samples]);
        move_one(from + index[s], to + place[s]);
      }
      for (; s < count; ++s) move_one(from + index[s], to + place[s]);
    }
  }

  // And back.
  void return_values(const Complex* sorted, Index begin, Index count, Index coils, Complex* values) const {
    const std::int32_t* const index = tiling_.index.data() + begin;
    const std::uint16_t* const place = tiling_.place.data() + begin;
    for (Index c = 0; c < coils; ++c) {
      const Complex* const from = sorted + c * part_samples;
      Complex* const to = values + c * samples_;
      for (Index s = 0; s < count; ++s) move_one(from + place[s], to + index[s]);
    }
  }

  // So far ahead that their values come from memory in time; they lie in short stretches, which the processor's own
  // prefetching does not see the end of.
  static constexpr Index prefetch_samples = 128;

  static Index tile_stride(Index points) { return 2 * points + row_slack; }

  // Where the loops add to and read from: a tile of the grid itself, or a copy of one that lies across the grid's end.
  struct Target {
    Real* corner;
    Index stride;  // numbers from one coil to the next
    Index row;     // points
    Index plane;
  };

  Target target_of(const Tile<Dim>& tile, Real* grids, Real* buffer) const {
    if (!tile.apart) {
      return {buffer, tile_stride(points(tile)), tile.extent[0], tile.extent[0] * tile.extent[1]};
    }
    Index corner = tile.corner[1] * grid_.row + tile.corner[0];
    if constexpr (Dim == 3) corner += tile.corner[Dim - 1] * grid_.plane;
    return {grids + 2 * corner, 2 * grid_.size(), grid_.row, grid_.plane};
  }

  // Asks for all lines of a tile at once, where its samples will come by most of them.
  template <int write>
  static void fetch(const Tile<Dim>& tile, const Target& target, Index coils) {
    if (4 * tile.count < points(tile)) return;
    constexpr Index line = 64 / static_cast<Index>(sizeof(Real));
    const Index planes = Dim == 3 ? tile.extent[Dim - 1] : 1;
    for (Index c = 0; c < coils; ++c) {
      for (Index z = 0; z < planes; ++z) {
        for (Index y = 0; y < tile.extent[1]; ++y) {
          const Real* const row = target.corner + c * target.stride + 2 * (z * target.plane + y * target.row);
          for (Index x = 0; x < 2 * tile.extent[0]; x += line) __builtin_prefetch(row + x, write);
        }
      }
    }
  }

  void copy_tile(const Tile<Dim>& tile, const Real* grids, Index coils, Real* buffer, Index stride) const {
    for (Index c = 0; c < coils; ++c) {
      const Real* const grid = grids + 2 * c * grid_.size();
      Real* const to = buffer + c * stride;
      for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
        std::copy(grid + 2 * in_grid, grid + 2 * (in_grid + length), to + 2 * in_tile);
      });
      std::fill(to + 2 * points(tile), to + stride, Real(0));
    }
  }

  // The window is evaluated once for so many coils; their tiles together stay in the second-level cache.
  Index coils_at_once() const {
    constexpr Index cache_bytes = Index{256} * 1024;
    return std::max<Index>(1, cache_bytes / (tiling_.largest_tile * static_cast<Index>(sizeof(Complex)) + 1));
  }

  TileJob<Real, Dim> job(const Target& target, Index begin, Index count) const {
    return {tiling_.samples.data() + begin, count, &window_, target.row, target.plane};
  }

  template <class Work>
  static void for_each_part(const Tile<Dim>& tile, const Work& work) {
    const Index end = tile.first + tile.count;
    for (Index begin = tile.first; begin < end; begin += part_samples) work(begin, std::min(part_samples, end - begin));
  }

  // [coil][sample], behind the coils' tiles.
  Complex* values_of_part(Real* buffer, Index coils) const {
    return reinterpret_cast<Complex*>(buffer + tile_stride(tiling_.largest_tile) * coils);
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
