#include "backend/cuda/filter/float_windows.cuh"

#include <algorithm>
#include <limits>

#include "backend/cuda/filter/float_windows.hpp"
#include "backend/cuda/filter/strips.hpp"
#include "whorl/core/image.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr Index most_numbers = Index{most_float_threads} * float_step;
// Of these some are seen only, of which there are to be few.
constexpr Index largest_halo = most_numbers / 8;

constexpr Index up_to(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

bool is_whole(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

template <int C>
void run(const Context& ctx, FloatWindow job, const float* from, float* to) {
  constexpr Index warp = 32;
  const Index threads = up_to((job.tile + 2 * job.halo) / float_step, warp);
  const auto bytes = static_cast<std::size_t>(threads) * float_step * sizeof(float4);
  const auto kernel = float_window_kernel<C>;
  constexpr Index longest = 64;
  const Index at_once = blocks_at_once(ctx, kernel, static_cast<int>(threads), bytes);
  job.strip_rows = static_cast<int>(rows_of_strips(at_once, job.slices * job.tiles, job.height, float_step, longest));
  job.strips = (job.height + job.strip_rows - 1) / job.strip_rows;
  const auto grid = static_cast<unsigned>(job.slices * job.strips * job.tiles);
  kernel<<<grid, static_cast<unsigned>(threads), bytes, stream_of(ctx)>>>(job, from, to);
  check_launch("separable");
}

}  // namespace

bool sum_float_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<float>& passes,
                       Border border, float beyond, const float* from, float* to) {
  const int channels = count_of(format.channels);
  const Index halo = up_to(passes.x.radius(), float_step) * channels;
  constexpr Index most = std::numeric_limits<int>::max() - most_numbers;
  if (!passes.y.symmetric || !passes.x.symmetric || halo > largest_halo || format.height > most ||
      format.row() > most || std::max(passes.y.radius(), passes.x.radius()) > largest_float_radius) {
    return false;
  }
  FloatWindow job{};
  job.row = static_cast<int>(format.row());
  job.slices = format.slices();
  job.height = static_cast<int>(format.height);
  const Index room = most_numbers - 2 * halo;
  const Index tiles = (format.row() + room - 1) / room;
  job.tiles = static_cast<int>(tiles);
  job.tile = static_cast<int>(up_to((format.row() + tiles - 1) / tiles, float_step));
  job.radius_y = static_cast<int>(passes.y.radius());
  job.radius_x = static_cast<int>(passes.x.radius());
  job.halo = static_cast<int>(halo);
  job.vectors = job.row % float_step == 0 && is_whole(from) && is_whole(to);
  job.border = border;
  job.beyond = beyond;
  std::copy(passes.y.taps.begin() + passes.y.radius(), passes.y.taps.end(), job.y);
  std::copy(passes.x.taps.begin() + passes.x.radius(), passes.x.taps.end(), job.x);
  switch (channels) {
    case 1:
      run<1>(ctx, job, from, to);
      return true;
    case 2:
      run<2>(ctx, job, from, to);
      return true;
    case 3:
      run<3>(ctx, job, from, to);
      return true;
    default:
      run<4>(ctx, job, from, to);
      return true;
  }
}

}  // namespace whorl::backend::cuda
