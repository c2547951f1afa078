#include "kernels/gridding.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cuda/nufft/gridding_sort.hpp"
#include "backend/cuda/nufft/interpolate.cuh"
#include "backend/cuda/nufft/spread.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

int up(Index count, int step) { return static_cast<int>((count + step - 1) / step); }

// More than 48 KiB of shared memory has to be asked for.
template <class Kernel>
void allow_shared_memory(Kernel* kernel, std::size_t bytes) {
  if (bytes <= 48 * 1024) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
}

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
        spread_most_(most_of_part(properties_of(ctx).multiProcessorCount)),
        parts_(ctx, bins_, sorted_.bin_first.data(), spread_tiles(), interpolation_tiles()) {}

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    // As few groups of coils as there may be, and no larger than they have to be.
    constexpr Index most = tuning::spread_coils<Dim>;
    const Index groups = (batch + most - 1) / most;
    if (groups == 0) return;
    const Index coils = (batch + groups - 1) / groups;
    const auto launch = [&](auto count) { spread_coils<count>(ctx, values, grids, batch); };
    if (coils == 1) {
      launch(std::integral_constant<int, 1>());
    } else if (coils == 2) {
      launch(std::integral_constant<int, 2>());
    } else if (coils <= 4) {
      launch(std::integral_constant<int, 4>());
    } else if constexpr (Dim == 2) {
      if (coils <= 6) {
        launch(std::integral_constant<int, 6>());
      } else if constexpr (most > 6) {
        launch(std::integral_constant<int, 12>());
      }
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
      interpolate_wide<Real, Dim>
          <<<static_cast<unsigned>(up(sorted_.samples.size(), warps)), tuning::interpolate_threads, bytes,
             stream_of(ctx)>>>(tables, from, to, static_cast<int>(batch));
      check_launch("gridding: interpolate_wide");
      return;
    }
    interpolate_width(ctx, tables, from, to, batch, std::make_integer_sequence<int, tuning::widest_tiled_window - 1>());
  }

 private:
  // Tiles that have about as many samples as all others are not cut where there are enough of them to keep the device
  // busy.
  int most_of_part(int multiprocessors) const {
    const TileGrid tiles = spread_tiles();
    double samples = static_cast<double>(sorted_.samples.size());
    for (int axis = 0; axis < Dim; ++axis) {
      const int bin = 1 << bins_.shift;
      samples *= 1 + static_cast<double>(up(tiles.reach, bin) * bin) / tiles.points[axis];
    }
    const double often = 1.5 * samples / tiles.tiles();
    const double filling = samples / (tuning::spread_rounds * multiprocessors);
    return std::max(tuning::spread_most<Dim>,
                    static_cast<int>(std::min({often, filling, double{tuning::spread_most_summed}})));
  }

  // Rows are written to their end: what lies there has to be finite.
  TileGrid spread_tiles() const {
    const int planes = spread_planes<Dim>;
    return {{spread_tile, spread_tile, planes},
            {up(grid_.row, spread_tile), up(grid_.extent[1], spread_tile), up(grid_.extent[0], planes)},
            width_ - 1,
            spread_most_,
            tuning::spread_wanted<Dim>,
            true};
  }

  TileGrid interpolation_tiles() const {
    using Tile = InterpolationTile<Real, Dim>;
    return {{Tile::x, Tile::y, Tile::z},
            {up(grid_.extent[2], Tile::x), up(grid_.extent[1], Tile::y), up(grid_.extent[0], Tile::z)},
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

  // Behind the memory of a kernel lie the window's coefficients.
  template <class Memory>
  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(Memory::coefficients_place()) +
           static_cast<std::size_t>((degree_ + 1) * padded_width(width_)) * sizeof(Real);
  }

  template <int Coils>
  void spread_coils(const Context& ctx, const Complex* values, Complex* grids, Index batch) const {
    const TileGrid tiles = spread_tiles();
    const auto tables = tables_of(tiles, parts_.spread);
    cudaStream_t stream = stream_of(ctx);
    Array<Complex> partial(ctx,
                           {parts_.spread.slots, batch, Index{tiles.points[0]} * tiles.points[1] * tiles.points[2]});
    Pair* const to = as_device(grids);
    Pair* const sums = as_device(partial.data());
    const std::size_t bytes = shared_bytes<SpreadMemory<Real, Dim, Coils>>();
    allow_shared_memory(spread_tiles_kernel<Coils>, bytes);
    const dim3 blocks(static_cast<unsigned>(parts_.spread.parts.size()), static_cast<unsigned>(up(batch, Coils)));
    spread_tiles_kernel<Coils><<<blocks, tuning::spread_threads, bytes, stream>>>(tables, as_device(values), to, sums,
                                                                                  static_cast<int>(batch));
    check_launch("gridding: spread_tiles");
    if (parts_.spread.cut.size() == 0) return;
    const dim3 cut(static_cast<unsigned>(parts_.spread.cut.size()), static_cast<unsigned>(batch));
    add_parts<Real, Dim><<<cut, spread_tile * spread_tile, 0, stream>>>(tables, parts_.spread.cut.data(), sums, to);
    check_launch("gridding: add_parts");
  }

  template <int Coils>
  static constexpr auto* spread_tiles_kernel = cuda::spread_tiles<Real, Dim, Coils>;

  template <int... W>
  void interpolate_width(const Context& ctx, const GriddingTables<Real, Dim>& tables, const Pair* grids, Pair* values,
                         Index batch, std::integer_sequence<int, W...> /*widths*/) const {
    const dim3 blocks(static_cast<unsigned>(parts_.interpolation.parts.size()),
                      static_cast<unsigned>(up(batch, tuning::interpolate_coils)));
    const auto launch = [&](auto width) {
      const std::size_t bytes = shared_bytes<InterpolationMemory<Real, Dim, width>>();
      allow_shared_memory(interpolate_tiles<Real, Dim, width>, bytes);
      interpolate_tiles<Real, Dim, width><<<blocks, tuning::interpolate_threads, bytes, stream_of(ctx)>>>(
          tables, grids, values, static_cast<int>(batch));
      check_launch("gridding: interpolate_tiles");
    };
    static_cast<void>(((width_ == W + 2 ? (launch(std::integral_constant<int, W + 2>()), true) : false) || ...));
  }

  kernels::GridLayout grid_;
  int degree_;
  int width_;
  BinGrid bins_;
  Array<Real> coefficients_;
  SortedSamples<Real, Dim> sorted_;
  int spread_most_ = 0;
  GriddingParts parts_;
};

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
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
