#include "filter/src/cuda/canny/canny_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/canny/canny_float_march.cuh"
#include "filter/src/cuda/canny/canny_march.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using canny_march::March;

constexpr int usual_radius = canny_lanes::window / 2;
static_assert(usual_radius == canny_lanes::float_window / 2);

// Chooses the rows of a warp so that all warps run at once or, if there are many, in whole rounds. Bands are not so
// short that the rows around them are most of the work. Returns the number of blocks.
unsigned set_bands(const Context& ctx, Index slices, int blocks_at_once, March& march) {
  constexpr int warps_per_block = canny_march::threads / canny_march::warp;
  constexpr Index least_rows = 6;
  constexpr Index most_rows = 96;
  const Index at_once = Index{properties_of(ctx).multiProcessorCount} * blocks_at_once * warps_per_block;
  const Index strips = slices * march.strips;
  const Index in_round = most_rows * at_once;
  const Index rounds = divide_up(strips * march.height, in_round);
  const Index bands = std::max<Index>(rounds * at_once / strips, 1);
  march.rows = static_cast<int>(std::max(divide_up(march.height, bands), least_rows));
  march.bands = divide_up(march.height, march.rows);
  march.warps = strips * march.bands;
  return static_cast<unsigned>(divide_up(march.warps, warps_per_block));
}

template <int radius, int channels>
void thin_bytes(const Context& ctx, const ImageFormat& format, March march) {
  const unsigned blocks = set_bands(ctx, format.slices(), canny_march::blocks_at_once(radius), march);
  launch(ctx, "canny", canny_march::thin_kernel<radius, channels>, {blocks, canny_march::threads}, march);
}

template <int radius, class T>
void thin_floats(const Context& ctx, const ImageFormat& format, canny_march::FloatMarch<T> job) {
  const unsigned blocks = set_bands(ctx, format.slices(), canny_march::float_blocks_at_once, job.march);
  launch(ctx, "canny", canny_march::thin_floats_kernel<T, radius>, {blocks, canny_march::threads}, job);
}

}  // namespace

bool thins_by_rows(const ImageFormat& format, int radius, Border border) {
  const bool is_taken =
      format.channels == Channels::gray || (format.channels == Channels::rgb && format.type == PixelType::uint8);
  // With these borders smoothed images continue in this way.
  const bool continues = border == Border::reflect || border == Border::wrap;
  return is_taken && (radius == 0 || (radius == usual_radius && continues));
}

template <class T>
void thin_by_rows(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan, const T* pixels,
                  std::uint32_t* mask, std::uint32_t* seeds) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    const March march = canny_march::march_over(format, plan, pixels, mask, seeds);
    if (format.channels == Channels::gray) {
      plan.radius == 0 ? thin_bytes<0, 1>(ctx, format, march) : thin_bytes<usual_radius, 1>(ctx, format, march);
    } else {
      plan.radius == 0 ? thin_bytes<0, 3>(ctx, format, march) : thin_bytes<usual_radius, 3>(ctx, format, march);
    }
  } else {
    const auto job = canny_march::float_march_over(format, plan, pixels, mask, seeds);
    plan.radius == 0 ? thin_floats<0>(ctx, format, job) : thin_floats<usual_radius>(ctx, format, job);
  }
}

#define WHORL_INSTANTIATE(T)                                                                                          \
  template void thin_by_rows(const Context&, const ImageFormat&, const kernels::CannyPlan&, const T*, std::uint32_t*, \
                             std::uint32_t*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
