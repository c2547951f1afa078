// Gridding on a CPU, tile by tile: the entry of this folder. Which code takes which input, and why:
//
//   windows of 2 to 16 points     gridding_loops_*_hwy.cpp   vectors, unrolled for each width
//   wider windows                 gridding_loops.cpp         plain loops: such windows are rare
//   four interleaved coils        gridding_coils-inl.hpp     lanes are coils: one weight for a whole vector
//   the coils left over           gridding_loops-inl.hpp     lanes lie along the window
//   a tile inside the grid        the grid itself            no copy
//   a tile across the grid's end  a buffer                   windows wrap around there
//   a crowded tile, float         crowded_tile.hpp           sums of bounded length, added up in double
//
// gridding_tiles.cpp sorts the samples into tiles; nufft_cost.cpp says what a transform costs in time and memory.
#include "kernels/gridding.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "backend/cpu/nufft/crowded_tile.hpp"
#include "backend/cpu/nufft/gridding_tiles.hpp"
#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Calls visit(place in the tile, place in the grid, length) for every run of points of a tile that is contiguous in the
// periodic grid; places count points.
template <int Dim, class Visit>
void for_each_stretch(const Tile<Dim>& tile, const kernels::GridLayout& grid, const Visit& visit) {
  const auto [nz, ny, nx] = grid.extent;
  const Index rows = tile.extent_along(1);
  for (Index z = 0; z < tile.extent_along(2); ++z) {
    const Index gz = (tile.corner_along(2) + z) % nz;
    for (Index y = 0; y < rows; ++y) {
      const Index gy = (tile.corner_along(1) + y) % ny;
      for (Index x = 0; x < tile.extent[0];) {
        const Index gx = (tile.corner[0] + x) % nx;
        const Index length = std::min(tile.extent[0] - x, nx - gx);
        visit((z * rows + y) * tile.extent[0] + x, gz * grid.plane + gy * grid.row + gx, length);
        x += length;
      }
    }
  }
}

TileLoops<float, 1> loops_of(int width, std::integral_constant<int, 1> /*dim*/, float real) {
  return simd_loops_1d(width, real);
}
TileLoops<double, 1> loops_of(int width, std::integral_constant<int, 1> /*dim*/, double real) {
  return simd_loops_1d(width, real);
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
      : tiling_(ctx, geometry),
        grid_(geometry.grid),
        window_(geometry.window),
        loops_(loops_for<Real, Dim>(geometry.window.width)),
        samples_(geometry.points.extent(0)) {}

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    clear(ctx, grids, batch * grid_.size());
    each_kind(batch, [&]<Index together>(Index first, Index groups) {
      spread_groups<together>(ctx, values + first * samples_, grids + first * grid_.size(), groups);
    });
  }

  void interpolate(const Context& ctx, const Complex* grids, Complex* values, Index batch) const override {
    each_kind(batch, [&]<Index together>(Index first, Index groups) {
      interpolate_groups<together>(ctx, grids + first * grid_.size(), values + first * samples_, groups);
    });
  }

 private:
  // Calls work<together>(first coil, groups) for the coils whose grids are interleaved, and for the others.
  template <class Work>
  void each_kind(Index batch, const Work& work) const {
    const Index joined = grid_.together == 1 ? 0 : batch / kernels::coils_together;
    if (joined > 0) work.template operator()<kernels::coils_together>(0, joined);
    const Index rest = batch - joined * kernels::coils_together;
    if (rest > 0) work.template operator()<1>(joined * kernels::coils_together, rest);
  }

  // Below, a group has `together` coils, whose numbers are adjacent at every point.

  template <Index together>
  void spread_groups(const Context& ctx, const Complex* values, Complex* grids, Index batch) const {
    for (Index first = 0; first < batch; first += groups_at_once<together>()) {
      const Index groups = std::min(groups_at_once<together>(), batch - first);
      const Complex* const group_values = values + first * together * samples_;
      auto* const group_grids = reinterpret_cast<Real*>(grids + first * together * grid_.size());
      Buffers memory = buffers<together>(ctx, groups, tiling_.largest_crowded);
      const auto add_tile = [&](const Tile<Dim>& tile, Real* buffer) {
        if (tile.crowded) {
          return add_crowded_tile<together>(tile, group_values, groups, buffer, memory.own_sums(), group_grids);
        }
        const Target target = target_of<together>(tile, group_grids, buffer);
        if (tile.apart) {
          fetch<1, together>(tile, target, groups);
        } else {
          std::fill(buffer, buffer + target.stride * groups, Real(0));
        }
        Complex* const sorted = values_of_part<together>(buffer, groups);
        for_each_part(tile, [&](Index begin, Index count) {
          sort_values<together>(group_values, begin, count, groups, sorted);
          loops_.spread(job<together>(target, begin, count), sorted, part_samples, target.corner, target.stride,
                        groups);
        });
        if (!tile.apart) add_to_grids<together>(tile, buffer, target.stride, groups, group_grids);
      };
      for (const auto& tiles : tiling_.colors) for_each_tile(ctx, tiles, memory, add_tile);
    }
  }

  // Adds a tile with too many samples for sums in single precision.
  // NOLINTBEGIN(readability-non-const-parameter): `sums` is written where Real is float.
  template <Index together>
  void add_crowded_tile(const Tile<Dim>& tile, const Complex* values, Index groups, Real* buffer, double* sums,
                        Real* grids) const {
    // NOLINTEND(readability-non-const-parameter)
    if constexpr (std::is_same_v<Real, float>) {
      const Target target = target_in_buffer<together>(tile, buffer);
      std::fill(buffer, buffer + target.stride * groups, Real(0));
      CrowdedTile<Dim> crowded(tile, window_.width, numbers<together>(1), groups, buffer, target.stride, sums);
      Complex* const sorted = values_of_part<together>(buffer, groups);
      for_each_part(tile, [&](Index begin, Index count) {
        sort_values<together>(values, begin, count, groups, sorted);
        crowded.add(tiling_.samples.data() + begin, count, [&](Index first, Index some) {
          loops_.spread(job<together>(target, begin + first, some), sorted + together * first, part_samples,
                        target.corner, target.stride, groups);
        });
      });
      add_to_grids<together>(tile, crowded.finish(), numbers<together>(points(tile)), groups, grids);
    }
  }

  // Adds a tile in a buffer to its place in the grids, one group after the other.
  template <Index together, class Number>
  void add_to_grids(const Tile<Dim>& tile, const Number* values, Index stride, Index groups, Real* grids) const {
    for (Index g = 0; g < groups; ++g) {
      Real* const grid = grids + g * numbers<together>(grid_.size());
      const Number* const from = values + stride * g;
      for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
        Real* const to = grid + numbers<together>(in_grid);
        const Number* const in = from + numbers<together>(in_tile);
        for (Index i = 0; i < numbers<together>(length); ++i) to[i] = static_cast<Real>(to[i] + in[i]);
      });
    }
  }

  template <Index together>
  void interpolate_groups(const Context& ctx, const Complex* grids, Complex* values, Index batch) const {
    for (Index first = 0; first < batch; first += groups_at_once<together>()) {
      const Index groups = std::min(groups_at_once<together>(), batch - first);
      Complex* const group_values = values + first * together * samples_;
      // The loops do not write to what they read from.
      auto* const group_grids = reinterpret_cast<Real*>(const_cast<Complex*>(grids + first * together * grid_.size()));
      Buffers memory = buffers<together>(ctx, groups);
      for_each_tile(ctx, tiling_.tiles, memory, [&](const Tile<Dim>& tile, Real* buffer) {
        const Target target = target_of<together>(tile, group_grids, buffer);
        if (tile.apart) {
          fetch<0, together>(tile, target, groups);
        } else {
          copy_tile<together>(tile, group_grids, groups, buffer, target.stride);
        }
        Complex* const sorted = values_of_part<together>(buffer, groups);
        for_each_part(tile, [&](Index begin, Index count) {
          loops_.interpolate(job<together>(target, begin, count), target.corner, target.stride, sorted, part_samples,
                             groups);
          return_values<together>(sorted, begin, count, groups, group_values);
        });
      });
    }
  }

  static Index points(const Tile<Dim>& tile) {
    Index size = 1;
    for (const Index extent : tile.extent) size *= extent;
    return size;
  }

  // Compiles to one move; an assignment would take two.
  static void move_one(const Complex* from, Complex* to) { std::memcpy(to, from, sizeof(Complex)); }

  static constexpr Index part_samples = Tiling<Real, Dim>::part_samples;

  // Values of a part from the order of acquisition to that of the loops.
  template <Index together>
  void sort_values(const Complex* values, Index begin, Index count, Index groups, Complex* sorted) const {
    const std::int32_t* const index = tiling_.index.data() + begin;
    const std::uint16_t* const place = tiling_.place.data() + begin;
    for (Index g = 0; g < groups; ++g) {
      const Complex* const from = values + g * together * samples_;
      Complex* const to = sorted + g * together * part_samples;
      const auto move = [&](Index s) {
        for (Index c = 0; c < together; ++c) move_one(from + c * samples_ + index[s], to + together * place[s] + c);
      };
      Index s = 0;
      for (; s < count - prefetch_samples; ++s) {
        for (Index c = 0; c < together; ++c) __builtin_prefetch(from + c * samples_ + index[s + prefetch_samples]);
        move(s);
      }
      for (; s < count; ++s) move(s);
    }
  }

  // Writes the sorted values back to their places.
  template <Index together>
  void return_values(const Complex* sorted, Index begin, Index count, Index groups, Complex* values) const {
    const std::int32_t* const index = tiling_.index.data() + begin;
    const std::uint16_t* const place = tiling_.place.data() + begin;
    for (Index g = 0; g < groups; ++g) {
      const Complex* const from = sorted + g * together * part_samples;
      Complex* const to = values + g * together * samples_;
      for (Index s = 0; s < count; ++s) {
        for (Index c = 0; c < together; ++c) move_one(from + together * place[s] + c, to + c * samples_ + index[s]);
      }
    }
  }

  // How far ahead values are prefetched, so that they arrive from memory in time. They lie in short runs, whose ends
  // the processor's own prefetching does not foresee.
  static constexpr Index prefetch_samples = 128;

  // Real numbers of a group at `points` points.
  template <Index together>
  static Index numbers(Index points) {
    return 2 * together * points;
  }

  template <Index together>
  static Index tile_stride(Index points) {
    return numbers<together>(points) + row_slack;
  }

  // The memory that the loops write and read: a tile of the grid itself, or a copy if the tile crosses the grid's end.
  struct Target {
    Real* corner;
    Index stride;  // numbers from one group to the next
    Index row;     // points
    Index plane;
  };

  template <Index together>
  static Target target_in_buffer(const Tile<Dim>& tile, Real* buffer) {
    return {buffer, tile_stride<together>(points(tile)), tile.extent[0], tile.extent[0] * tile.extent_along(1)};
  }

  template <Index together>
  Target target_of(const Tile<Dim>& tile, Real* grids, Real* buffer) const {
    if (!tile.apart) return target_in_buffer<together>(tile, buffer);
    const Index corner = tile.corner_along(2) * grid_.plane + tile.corner_along(1) * grid_.row + tile.corner[0];
    return {grids + numbers<together>(corner), numbers<together>(grid_.size()), grid_.row, grid_.plane};
  }

  // Prefetches all cache lines of a tile, if its samples will touch most of them.
  template <int write, Index together>
  static void fetch(const Tile<Dim>& tile, const Target& target, Index groups) {
    if (4 * tile.count < points(tile)) return;
    constexpr Index line = 64 / static_cast<Index>(sizeof(Real));
    for (Index g = 0; g < groups; ++g) {
      for (Index z = 0; z < tile.extent_along(2); ++z) {
        for (Index y = 0; y < tile.extent_along(1); ++y) {
          const Real* const row =
              target.corner + g * target.stride + numbers<together>(z * target.plane + y * target.row);
          for (Index x = 0; x < numbers<together>(tile.extent[0]); x += line) __builtin_prefetch(row + x, write);
        }
      }
    }
  }

  template <Index together>
  void copy_tile(const Tile<Dim>& tile, const Real* grids, Index groups, Real* buffer, Index stride) const {
    for (Index g = 0; g < groups; ++g) {
      const Real* const grid = grids + g * numbers<together>(grid_.size());
      Real* const to = buffer + g * stride;
      for_each_stretch(tile, grid_, [&](Index in_tile, Index in_grid, Index length) {
        std::copy_n(grid + numbers<together>(in_grid), numbers<together>(length), to + numbers<together>(in_tile));
      });
      std::fill(to + numbers<together>(points(tile)), to + stride, Real(0));
    }
  }

  template <Index together>
  Index groups_at_once() const {
    return cpu::groups_at_once<Real>(together, tiling_.largest_tile);
  }

  template <Index together>
  TileJob<Real, Dim> job(const Target& target, Index begin, Index count) const {
    return {tiling_.samples.data() + begin, count, &window_, target.row, target.plane, together};
  }

  template <class Work>
  static void for_each_part(const Tile<Dim>& tile, const Work& work) {
    const Index end = tile.first + tile.count;
    for (Index begin = tile.first; begin < end; begin += part_samples) work(begin, std::min(part_samples, end - begin));
  }

  // [group][sample][coil], behind the groups' tiles.
  template <Index together>
  Complex* values_of_part(Real* buffer, Index groups) const {
    return reinterpret_cast<Complex*>(buffer + tile_stride<together>(tiling_.largest_tile) * groups);
  }

  // Buffers for the tiles that the threads work on.
  struct Buffers {
    Buffers(const Context& ctx, int thread_count, Index numbers, Index sums_in_double)
        : threads(thread_count),
          stride(numbers),
          memory(ctx, {thread_count, stride}),
          sums(ctx, {sums_in_double > 0 ? thread_count : 0, sums_in_double}) {}
    double* own_sums() { return sums.data() + omp_get_thread_num() * sums.extent(1); }

    int threads;
    Index stride;
    Array<Real> memory;
    Array<double> sums;  // of crowded tiles, for spreading
  };

  template <Index together>
  Buffers buffers(const Context& ctx, Index groups, Index largest_crowded = 0) const {
    // Each sample meets at least 2^dim points and evaluates a window.
    return Buffers(ctx, threads_for(ctx, 16 * groups * together * samples_),
                   buffer_numbers(groups, together, tiling_.largest_tile), groups * numbers<together>(largest_crowded));
  }

  template <class Work>
  static void for_each_tile(const Context& ctx, const std::vector<Tile<Dim>>& tiles, Buffers& buffers,
                            const Work& work) {
    Real* const memory = buffers.memory.data();
    detail::parallel_for(ctx, buffers.threads, "gridding", 0, std::ssize(tiles), [&](Index i) {
      work(tiles[static_cast<std::size_t>(i)], memory + omp_get_thread_num() * buffers.stride);
    });
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

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
  if (geometry.points.extent(1) == 1) return std::make_shared<const TiledGridding<Real, 1>>(ctx, geometry);
  if (geometry.points.extent(1) == 2) return std::make_shared<const TiledGridding<Real, 2>>(ctx, geometry);
  return std::make_shared<const TiledGridding<Real, 3>>(ctx, geometry);
}

}  // namespace

void register_gridding() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_gridding_plan<Real>.set(DeviceKind::cpu, make_gridding_plan<Real>);
  });
}

}  // namespace whorl::backend::cpu
