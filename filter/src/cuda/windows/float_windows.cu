#include "filter/src/cuda/windows/float_windows.cuh"

#include <algorithm>
#include <limits>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/strips.hpp"
#include "filter/src/cuda/windows/float_windows.hpp"
#include "whorl/core/image.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr Index most_numbers = Index{most_float_threads} * float_columns;
// Some of these numbers are only neighbors of results.
constexpr Index largest_halo = most_numbers / 4;

bool is_whole(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

template <int C, class Ends>
bool start(const Context& ctx, FloatWindow job, const Ends& ends, const float* from, float* to) {
  constexpr Index warp = 32;
  const Index threads = round_up(divide_up(job.tile + 2 * job.halo, float_columns), warp);
  const auto bytes = static_cast<std::size_t>(threads * (job.held + float_rows)) * sizeof(float2);
  if (bytes > properties_of(ctx).sharedMemPerBlockOptin) return false;
  const auto kernel = float_window_kernel<C, Ends>;
  // Always, because the tables of the ends are in shared memory too, which `launch` does not know.
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "separable");
  constexpr Index longest = 192;
  const Index at_once = blocks_at_once(ctx, kernel, static_cast<int>(threads), bytes);
  job.strip_rows = static_cast<int>(rows_of_strips(at_once, job.slices * job.tiles, job.height, float_rows, longest));
  job.strips = divide_up(job.height, job.strip_rows);
  launch(ctx, "separable", kernel,
         {grid_of(job.slices * job.strips * job.tiles), static_cast<unsigned>(threads), bytes}, job, ends, from, to);
  return true;
}

template <int C>
bool run(const Context& ctx, const FloatWindow& job, const kernels::PointEnds& points, const float* from, float* to) {
  return with_ends<float>(points, [&](const auto& ends) { return start<C>(ctx, job, ends, from, to); });
}

}  // namespace

bool sum_float_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<float>& passes,
                       Border border, float beyond, const kernels::PointEnds& ends, const float* from, float* to) {
  const int channels = count_of(format.channels);
  const Index halo = round_up(passes.x.radius(), float_quad) * channels;
  constexpr Index most_rows = std::numeric_limits<int>::max() - far_float_rows;
  if (!passes.y.symmetric || !passes.x.symmetric || halo > largest_halo || format.height > most_rows ||
      std::max(passes.y.radius(), passes.x.radius()) > largest_float_radius) {
    return false;
  }
  FloatWindow job{};
  job.row = format.row();
  job.slices = format.slices();
  job.height = static_cast<int>(format.height);
  const Index room = most_numbers - 2 * halo;
  job.tiles = static_cast<int>(divide_up(job.row, room));
  job.tile = static_cast<int>(round_up(divide_up(job.row, job.tiles), float_quad));
  job.radius_y = static_cast<int>(passes.y.radius());
  job.radius_x = static_cast<int>(passes.x.radius());
  job.held = static_cast<int>(round_up(float_rows + 2 * passes.y.radius(), float_rows));
  job.halo = static_cast<int>(halo);
  job.vectors = job.row % float_quad == 0 && is_whole(from) && is_whole(to);
  job.border = border;
  job.beyond = beyond;
  std::copy(passes.y.taps.begin() + passes.y.radius(), passes.y.taps.end(), job.y);
  std::copy(passes.x.taps.begin() + passes.x.radius(), passes.x.taps.end(), job.x);
  switch (channels) {
    case 1:
      return run<1>(ctx, job, ends, from, to);
    case 2:
      return run<2>(ctx, job, ends, from, to);
    case 3:
      return run<3>(ctx, job, ends, from, to);
    default:
      return run<4>(ctx, job, ends, from, to);
  }
}

}  // namespace whorl::backend::cuda
