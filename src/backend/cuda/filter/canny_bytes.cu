#include "backend/cuda/filter/canny_bytes.hpp"

#include <algorithm>

#include "backend/cuda/filter/canny_march.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int usual_radius = canny_lanes::window / 2;

template <int radius, int channels>
void thin(const Context& ctx, canny_march::March march, Index slices) {
  constexpr int warps_per_block = canny_march::threads / canny_march::warp;
  // As many rows to a warp as let all warps run at once, but not so few that most of the work is for the rows around.
  constexpr Index least_rows = 6;
  constexpr Index most_rows = 64;
  const Index at_once =
      Index{properties_of(ctx).multiProcessorCount} * canny_march::blocks_at_once(radius) * warps_per_block;
  const Index even = (slices * march.strips * march.height + at_once - 1) / at_once;
  march.rows = static_cast<int>(std::clamp(even, least_rows, most_rows));
  march.bands = (march.height + march.rows - 1) / march.rows;
  march.warps = slices * march.strips * march.bands;
  const Index blocks = (march.warps + warps_per_block - 1) / warps_per_block;
  canny_march::thin_kernel<radius, channels>
      <<<static_cast<unsigned>(blocks), canny_march::threads, 0, stream_of(ctx)>>>(march);
  check_launch("canny");
}

}  // namespace

bool thins_bytes(const ImageFormat& format, const kernels::CannyPlan& plan) {
  const bool is_taken = format.channels == Channels::gray || format.channels == Channels::rgb;
  // A smoothed image continues beyond its edge as its image does where that is reflected or repeated.
  const bool continues = plan.border == Border::reflect || plan.border == Border::wrap;
  return is_taken && (plan.radius == 0 || (plan.radius == usual_radius && continues));
}

void thin_bytes(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan,
                const std::uint8_t* pixels, std::uint32_t* mask, std::uint32_t* seeds) {
  const canny_march::March march = canny_march::march_over(format, plan, pixels, mask, seeds);
  const Index slices = format.slices();
  if (format.channels == Channels::gray) {
    plan.radius == 0 ? thin<0, 1>(ctx, march, slices) : thin<usual_radius, 1>(ctx, march, slices);
  } else {
    plan.radius == 0 ? thin<0, 3>(ctx, march, slices) : thin<usual_radius, 3>(ctx, march, slices);
  }
}

}  // namespace whorl::backend::cuda
