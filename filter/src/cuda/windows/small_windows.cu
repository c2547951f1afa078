#include "filter/src/cuda/windows/small_windows.cuh"

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/windows/small_windows.hpp"
#include "filter/src/cuda/word_rows.cuh"

namespace whorl::backend::cuda {

namespace {

using kernels::PointEnds;
using Pass = kernels::PassTaps<std::int16_t>;

constexpr int level_bit = 24;  // where results lie in sums
constexpr Index largest_level = 255;

bool has_negative(const Pass& pass) {
  return std::any_of(pass.taps.begin(), pass.taps.end(), [](std::int16_t tap) { return tap < 0; });
}

// Tap k of a window with another radius; 0 beyond that radius.
unsigned tap_of(const Pass& pass, int radius, int k) {
  const Index own = k - radius + pass.radius();
  return own >= 0 && own <= 2 * pass.radius() ? static_cast<unsigned>(pass.taps[static_cast<std::size_t>(own)]) : 0;
}

template <int R, int C, class Ends>
void start(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes, Border border,
           std::uint8_t beyond, const Ends& ends, const std::uint8_t* from, std::uint8_t* to) {
  SmallWindow job{};
  const auto kernel = small_window_kernel<R, C, Ends>;
  job.strips = byte_strips(ctx, format, border, repeated(beyond), kernel);
  job.shift = passes.y.shift;
  job.column_half = 1U << passes.y.shift >> 1;
  job.row_half = (1U << passes.x.shift >> 1) << (level_bit - passes.x.shift);
  for (int k = 0; k <= R; ++k) {
    job.even[k] = tap_of(passes.y, R, 2 * k) | tap_of(passes.y, R, 2 * k + 1) << 16;
    job.odd[k] = tap_of(passes.y, R, 2 * k - 1) | tap_of(passes.y, R, 2 * k) << 16;
    job.row[k] = tap_of(passes.x, R, R + k) << (level_bit - passes.x.shift);
  }
  launch(ctx, "separable", kernel, {blocks_of(job.strips), strip_threads}, job, ends, from, to);
}

// Tables have no alpha.
template <int R, int C>
bool run(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes, Border border,
         std::uint8_t beyond, const PointEnds& points, const std::uint8_t* from, std::uint8_t* to) {
  return with_ends<std::uint8_t>(points, [&](const auto& ends) {
    using Ends = std::decay_t<decltype(ends)>;
    if constexpr (C == 4 && Ends::any) {
      return false;
    } else {
      start<R, C, Ends>(ctx, format, passes, border, beyond, ends, from, to);
      return true;
    }
  });
}

template <int C>
bool run_radius(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                Border border, std::uint8_t beyond, const PointEnds& ends, const std::uint8_t* from, std::uint8_t* to) {
  switch (std::max<Index>({passes.y.radius(), passes.x.radius(), 1})) {
    case 1:
      return run<1, C>(ctx, format, passes, border, beyond, ends, from, to);
    case 2:
      return run<2, C>(ctx, format, passes, border, beyond, ends, from, to);
    case 3:
      return run<3, C>(ctx, format, passes, border, beyond, ends, from, to);
    case largest_small_radius:
      if constexpr (is_edge_near(largest_small_radius, C)) {
        return run<largest_small_radius, C>(ctx, format, passes, border, beyond, ends, from, to);
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

bool sum_small_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                       Border border, std::uint8_t beyond, const PointEnds& ends, const std::uint8_t* from,
                       std::uint8_t* to) {
  if (!in_byte_strips(format, from, to)) return false;
  if (!passes.x.symmetric || has_negative(passes.y) || has_negative(passes.x)) return false;
  const Index between = kernels::largest_result(passes.y, largest_level);
  if (passes.x.shift > level_bit || kernels::largest_result(passes.x, between) > largest_level) return false;
  switch (format.channels) {
    case Channels::gray:
      return run_radius<1>(ctx, format, passes, border, beyond, ends, from, to);
    case Channels::rgb:
      return run_radius<3>(ctx, format, passes, border, beyond, ends, from, to);
    case Channels::rgba:
      return run_radius<4>(ctx, format, passes, border, beyond, ends, from, to);
    default:
      return false;
  }
}

}  // namespace whorl::backend::cuda
