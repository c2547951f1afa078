// Edges on an NVIDIA GPU. The kernels that find the thin lines:
//
//   gray, and RGB of bytes; radius 2 or no Gaussian;    canny_rows    warps go down the rows, all in registers: the
//   no point operations in the load                                   fastest
//   all others                                          canny_tiles   tiles in shared memory, for any radius, border
//                                                                     and channels, and with point operations
//
// Then the lines are connected (components.cu: in tiles, then between them) and painted.
#include <algorithm>
#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/canny/canny_paint.cuh"
#include "filter/src/cuda/canny/canny_rows.hpp"
#include "filter/src/cuda/canny/canny_tiles.cuh"
#include "filter/src/cuda/canny/components.hpp"
#include "filter/src/kernels/canny/canny.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace canny_tiles;

template <class T, int fixed_radius, class Lights>
void thin_edges(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const Lights& from,
                std::uint32_t* mask, std::uint32_t* seeds) {
  constexpr int rows = rows_of_tile<LevelOf<T>, fixed_radius>();
  const auto tiles_x = static_cast<int>(divide_up(format.width, tile_columns));
  const auto tiles_y = static_cast<int>(divide_up(format.height, rows));
  const Index blocks = format.slices() * tiles_x * tiles_y;
  const int smooth_columns = fixed_radius == 0 ? 0 : columns;
  const std::size_t numbers = (rows + 2 * (halo + plan.radius)) * (light_columns_of(plan.radius) + smooth_columns);
  constexpr std::size_t length_bytes = (rows + 2) * columns * sizeof(LengthOf<LevelOf<T>>);
  const std::size_t bytes = std::max(numbers * sizeof(LevelOf<T>), length_bytes);
  launch(ctx, "canny", thin_kernel<T, fixed_radius, Lights>, {grid_of(blocks), threads, bytes},
         {format.height, format.width, tiles_x, tiles_y}, plan, from, mask, seeds);
}

template <class T, class Lights>
void thin_edges(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const Lights& from,
                std::uint32_t* mask, std::uint32_t* seeds) {
  if (plan.radius == 0) {
    thin_edges<T, 0>(ctx, format, plan, from, mask, seeds);
  } else if (plan.radius == usual_radius) {
    thin_edges<T, usual_radius>(ctx, format, plan, from, mask, seeds);
  } else {
    thin_edges<T, any_radius>(ctx, format, plan, from, mask, seeds);
  }
}

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const kernels::PointCode* load,
           const void* from, T* to) {
  const kernels::BitMasks masks{format.slices(), format.height, format.width};
  Array<std::uint32_t> mask(ctx, {masks.words()});
  Array<std::uint32_t> edges(ctx, {masks.words()});
  if (load != nullptr) {
    thin_edges<T>(ctx, format, plan, LoadedLights<T>{from, *load}, mask.data(), edges.data());
  } else if (thins_by_rows(format, plan.radius, plan.border)) {
    thin_by_rows(ctx, format, plan, static_cast<const T*>(from), mask.data(), edges.data());
  } else {
    const PlainLights<T> lights{static_cast<const T*>(from), count_of(format.channels)};
    thin_edges<T>(ctx, format, plan, lights, mask.data(), edges.data());
  }
  OpenRuns open = grow_in_tiles(ctx, masks, mask.data(), edges.data());
  constexpr int vector = sizeof(int4) / sizeof(T);
  if (format.width % vector == 0) {
    paint<T, vector>(ctx, masks, edges.data(), open, to);
  } else {
    paint<T, 1>(ctx, masks, edges.data(), open, to);
  }
}

}  // namespace

void register_canny() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::canny<T>.set(DeviceKind::cuda, canny<T>);
  });
}

}  // namespace whorl::backend::cuda
