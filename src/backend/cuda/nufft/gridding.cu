// Gridding on a GPU: the entry of this folder. Which kernel takes which input, and why:
//
//   spreading                         spread_tiles        for 1, 2, 4, 6 or 12 coils at a time (in 3D up to 4), which
//                                                         share the window's values
//   tiles that were cut into parts    add_parts           adds the parts' sums, in double; if they take much memory,
//                                                         for some coils, or some tiles, at a time
//   interpolation, up to 12 points    interpolate_tiles   window in registers, tile in shared memory
//   interpolation, wider windows      interpolate_wide    a warp takes a sample and reads the grid itself
//   grids of one axis                 gridding_line.cu    no tiles: a warp takes a grid point, a thread a sample
//
// gridding_sort.cu sorts the samples into bins and cuts crowded tiles, as spread_parts.hpp says; gridding_tuning.hpp
// has the sizes; nufft_cost.cpp says what a transform costs in time and memory.
//
// The NUFFT on a GPU: gridding sorts the samples into bins. Spreading is a gather: a block owns a tile of the grid, and
// each of its warps holds a patch of the tile in registers for several coils. The warps read the samples of the tile's
// bins; window values are evaluated once. Crowded tiles are cut into parts, whose sums are added in a second pass, in
// double. Where these sums would take more than 1 GB, they are made for some coils, or some tiles, at a time. There are
// no atomics, so the result is the same in every run. line_passes has the passes of the transforms: FFTs of lines in
// registers and shared memory that neither read zeros nor write what is cropped, with deapodization in the first and
// last pass. The convolution multiplies by its spectrum in registers, between a transform and its inverse. For one
// image and many coils (SenseNufft) the first pass multiplies by the sensitivities, and the last one sums over the
// coils in a fixed order (coil_line_passes; on a CPU coil_lines). The cost model of a transform's design is a kernel
// too (kernels/nufft_cost.hpp).
#include "kernels/gridding.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/nufft/gridding_line.hpp"
#include "backend/cuda/nufft/gridding_sort.hpp"
#include "backend/cuda/nufft/interpolate.cuh"
#include "backend/cuda/nufft/spread.cuh"
#include "backend/cuda/nufft/spread_parts.hpp"

namespace whorl::backend::cuda {

namespace {

int tiles_of(Index points, int tile) { return static_cast<int>(divide_up(points, tile)); }

template <class Real>
Array<Real> upload_coefficients(const Context& ctx, const kernels::WindowPolynomial& window) {
  const auto stride = static_cast<std::size_t>(padded_width(window.width));
  const auto width = static_cast<std::size_t>(window.width);
  std::vector<Real> rows(static_cast<std::size_t>(window.degree + 1) * stride);
  for (std::size_t i = 0; i < window.coefficients.size(); ++i) {
    rows[i / width * stride + i % width] = static_cast<Real>(window.coefficients[i]);
  }
  return upload(ctx, std::span<const Real>(rows));
}

template <class Real, int Dim>
class Plan final : public kernels::GriddingPlan<Real> {
 public:
  using Complex = std::complex<Real>;
  using Pair = Complex2<Real>;

  Plan(const Context& ctx, const kernels::GriddingGeometry& geometry)
      : grid_(geometry.grid),
        degree_(geometry.window.degree),
        width_(geometry.window.width),
        bins_(make_bins(geometry.grid, width_)),
        coefficients_(upload_coefficients<Real>(ctx, geometry.window)),
        sorted_(ctx, geometry, bins_),
        spread_tiles_(spread_tile_grid(Dim, geometry.grid, bins_, width_, geometry.points.extent(0),
                                       properties_of(ctx).multiProcessorCount)),
        parts_(ctx, bins_, sorted_.bin_first.data(), spread_tiles_, interpolation_tiles()) {
    if (parts_.spread.slots == 0) return;
    cut_ = to_host(ctx, parts_.spread.cut.ref());
    cut_tiles_.slots = parts_.spread.slots;
    for (const TilePart& tile : cut_.span()) cut_tiles_.fullest = std::max<Index>(cut_tiles_.fullest, tile.parts);
  }

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    if (batch == 0) return;
    constexpr Index most = tuning::spread_coils<Dim>;
    const Index coils = coils_of_a_group(Dim, batch);
    const auto run = [&](auto known) { spread_coils<known>(ctx, values, grids, batch); };
    if constexpr (Dim == 2) {
      with_constant<1, 2, 4, 6, most>(coils, run);
    } else {
      with_constant<1, 2, most>(coils, run);
    }
  }

  void interpolate(const Context& ctx, const Complex* grids, Complex* values, Index batch) const override {
    if (batch == 0 || sorted_.samples.size() == 0) return;
    const auto tables = tables_of(interpolation_tiles(), parts_.interpolation);
    const Pair* const from = as_device(grids);
    Pair* const to = as_device(values);
    if (width_ > tuning::widest_tiled_window) {
      constexpr int warps = tuning::interpolate_threads / 32;
      const std::size_t bytes = static_cast<std::size_t>(warps * Dim * width_) * sizeof(Real);
      launch(ctx, "gridding: interpolate_wide", interpolate_wide<Real, Dim>,
             {grid_of(divide_up(sorted_.samples.size(), warps)), tuning::interpolate_threads, bytes}, tables, from, to,
             static_cast<int>(batch));
      return;
    }
    interpolate_width(ctx, tables, from, to, batch, std::make_integer_sequence<int, tuning::widest_tiled_window - 1>());
  }

 private:
  TileGrid interpolation_tiles() const {
    using Tile = InterpolationTile<Real, Dim>;
    return {
        {Tile::x, Tile::y, Tile::z},
        {tiles_of(grid_.extent[2], Tile::x), tiles_of(grid_.extent[1], Tile::y), tiles_of(grid_.extent[0], Tile::z)},
        0,
        tuning::interpolate_threads,
        tuning::interpolate_threads,
        false};
  }

  GriddingTables<Real, Dim> tables_of(const TileGrid& tiles, const TileParts& parts) const {
    return {sorted_.samples.data(),
            sorted_.bin_first.data(),
            coefficients_.data(),
            width_,
            degree_,
            bins_,
            tiles,
            parts.parts.data(),
            grid_.row,
            grid_.plane,
            grid_.size(),
            sorted_.samples.size()};
  }

  // The window's coefficients follow the memory of a kernel.
  template <class Memory>
  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(Memory::coefficients_place()) +
           static_cast<std::size_t>((degree_ + 1) * padded_width(width_)) * sizeof(Real);
  }

  template <int Coils>
  void spread_coils(const Context& ctx, const Complex* values, Complex* grids, Index batch) const {
    const TileGrid& tiles = spread_tiles_;
    const Index tile_points = Index{tiles.points[0]} * tiles.points[1] * tiles.points[2];
    const SumsAtOnce at_once = sums_at_once(ctx, Dim, tiles, batch, cut_tiles_, static_cast<Index>(sizeof(Complex)));
    Array<Complex> memory(ctx, {at_once.slots, at_once.coils, tile_points});
    auto tables = tables_of(tiles, parts_.spread);
    for (Index first = 0; first < batch; first += at_once.coils) {
      const Index coils = std::min(at_once.coils, batch - first);
      const Pair* const from = as_device(values) + first * tables.sample_count;
      Pair* const to = as_device(grids) + first * tables.size;
      each_round(at_once.slots, [&](Index first_part, Index parts, Index first_cut, Index cut) {
        // The pointer is moved back, because the slots of earlier tiles are not in memory.
        const Index slots_before = cut > 0 ? cut_.data()[first_cut].slot : 0;
        Pair* const sums = as_device(memory.data()) - slots_before * coils * tile_points;
        tables.parts = parts_.spread.parts.data() + first_part;
        launch(ctx, "gridding: spread_tiles", cuda::spread_tiles<Real, Dim, Coils>,
               {grid_of(parts, divide_up(coils, Coils)), tuning::spread_threads,
                shared_bytes<SpreadMemory<Real, Dim, Coils>>()},
               tables, from, to, sums, static_cast<int>(coils));
        if (cut == 0) return;
        launch(ctx, "gridding: add_parts", add_parts<Real, Dim>, {grid_of(cut, coils), spread_tile * spread_tile},
               tables, parts_.spread.cut.data() + first_cut, sums, to);
      });
    }
  }

  // Calls round(first part, parts, first cut tile, cut tiles) for runs of parts whose cut tiles have at most `slots`
  // slots together.
  template <class Round>
  void each_round(Index slots, const Round& round) const {
    const auto cut = cut_.span();
    const auto tiles = static_cast<Index>(cut_.size());
    Index part = 0;
    Index begin = 0;
    do {
      Index end = begin;
      Index taken = 0;
      for (; end < tiles && taken + cut[static_cast<std::size_t>(end)].parts <= slots; ++end) {
        taken += cut[static_cast<std::size_t>(end)].parts;
      }
      const Index end_part = end < tiles ? Index{cut[static_cast<std::size_t>(end)].part} : parts_.spread.parts.size();
      round(part, end_part - part, begin, end - begin);
      part = end_part;
      begin = end;
    } while (begin < tiles);
  }

  template <int... W>
  void interpolate_width(const Context& ctx, const GriddingTables<Real, Dim>& tables, const Pair* grids, Pair* values,
                         Index batch, std::integer_sequence<int, W...> /*widths*/) const {
    const dim3 blocks = grid_of(parts_.interpolation.parts.size(), divide_up(batch, tuning::interpolate_coils));
    with_constant<(W + 2)...>(width_, [&](auto width) {
      launch(ctx, "gridding: interpolate_tiles", interpolate_tiles<Real, Dim, width>,
             {blocks, tuning::interpolate_threads, shared_bytes<InterpolationMemory<Real, Dim, width>>()}, tables,
             grids, values, static_cast<int>(batch));
    });
  }

  kernels::GridLayout grid_;
  int degree_;
  int width_;
  BinGrid bins_;
  Array<Real> coefficients_;
  SortedSamples<Real, Dim> sorted_;
  TileGrid spread_tiles_;
  GriddingParts parts_;
  Array<TilePart> cut_;  // the tiles that were cut, on the host
  CutTiles cut_tiles_;
};

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
  if (geometry.points.extent(1) == 1) return make_line_gridding<Real>(ctx, geometry);
  if (geometry.points.extent(1) == 2) return std::make_shared<const Plan<Real, 2>>(ctx, geometry);
  return std::make_shared<const Plan<Real, 3>>(ctx, geometry);
}

}  // namespace

void register_gridding() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_gridding_plan<Real>.set(DeviceKind::cuda, make_gridding_plan<Real>);
  });
}

}  // namespace whorl::backend::cuda
