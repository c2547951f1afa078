#include "filter/src/cuda/windows/byte_windows.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/strips.hpp"
#include "filter/src/cuda/windows/byte_windows.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using Pass = kernels::PassTaps<std::int16_t>;

constexpr std::uintptr_t alignment = 16;
constexpr int largest_level = std::numeric_limits<std::uint8_t>::max();
constexpr int largest_tap = std::numeric_limits<std::uint16_t>::max();
constexpr int between_bits = 16;  // the upper ones of words
constexpr int top = 24;

bool is_aligned(const ImageFormat& format, const void* from, const void* to) {
  return format.row() % static_cast<Index>(alignment) == 0 && reinterpret_cast<std::uintptr_t>(from) % alignment == 0 &&
         reinterpret_cast<std::uintptr_t>(to) % alignment == 0;
}

bool has_negative(const Pass& pass) {
  return std::any_of(pass.taps.begin(), pass.taps.end(), [](std::int16_t tap) { return tap < 0; });
}

void fill_bytes(const Pass& pass, int scale, int spans, std::uint8_t* upper, std::uint8_t* lower) {
  const Index first = span_pixels + window_margin(spans) - pass.radius();
  for (std::size_t k = 0; k < pass.taps.size(); ++k) {
    const int tap = pass.taps[k] << scale;
    upper[first + static_cast<Index>(k)] = static_cast<std::uint8_t>(tap >> 8);
    lower[first + static_cast<Index>(k)] = static_cast<std::uint8_t>(tap & 255);
  }
}

void fill_beside(Border border, Index n, Beside& beside) {
  for (int i = 0; i < most_margin; ++i) {
    beside.before[i] = static_cast<int>(border_index(border, -1 - i, n));
    beside.after[i] = static_cast<int>(border_index(border, n + i, n));
  }
}

// Cuts rows of `spans` spans into pieces. A piece takes several steps of `step` spans; the first step makes `lacking`
// fewer. Chooses the number of pieces with the shortest time, if `at_once` pieces run at a time and a step takes the
// same time in all.
void cut_rows(Index at_once, Index spans, Index strips, Index step, Index lacking, ByteWindow& job) {
  constexpr Index most_steps = 128;
  constexpr Index start = 2;  // the start of a piece takes as long as this many steps
  Index shortest = std::numeric_limits<Index>::max();
  for (Index steps = 1; steps <= most_steps; ++steps) {
    const Index made = steps * step - lacking;
    if (made < 1) continue;
    const Index pieces = divide_up(spans, made);
    const Index time = divide_up(strips * pieces, at_once) * (steps + start);
    if (time >= shortest) continue;
    shortest = time;
    job.pieces = static_cast<int>(pieces);
    job.piece_spans = static_cast<int>(made);
  }
}

template <int C, int kSpans, bool kInTop>
bool run(const Context& ctx, const ImageFormat& format, ByteWindow job, const std::uint8_t* from, std::uint8_t* to) {
  using Shape = WindowShape<C, kSpans>;
  constexpr auto bytes = sizeof(WindowMemory<C, kSpans>);
  if (bytes > properties_of(ctx).sharedMemPerBlockOptin) return false;
  const auto kernel = byte_window_kernel<C, kSpans, kInTop>;
  allow_shared_memory(ctx, "separable", kernel, bytes);
  job.strips = static_cast<int>(divide_up(format.height, Shape::rows));
  const Index strips = format.slices() * job.strips;
  cut_rows(blocks_at_once(ctx, kernel, Shape::threads, bytes), divide_up(format.width, span_pixels), strips,
           2 * Shape::units, kSpans - 1, job);
  const Index blocks = strips * job.pieces;
  if (blocks > std::numeric_limits<int>::max()) return false;
  launch(ctx, "separable", kernel, {grid_of(blocks), Shape::threads, bytes}, job, from, to);
  return true;
}

template <int kSpans, bool kInTop>
bool run_channels(const Context& ctx, const ImageFormat& format, const ByteWindow& job, const std::uint8_t* from,
                  std::uint8_t* to) {
  switch (format.channels) {
    case Channels::gray:
      return run<1, kSpans, kInTop>(ctx, format, job, from, to);
    case Channels::gray_alpha:
      return run<2, kSpans, kInTop>(ctx, format, job, from, to);
    case Channels::rgb:
      return run<3, kSpans, kInTop>(ctx, format, job, from, to);
    case Channels::rgba:
      return run<4, kSpans, kInTop>(ctx, format, job, from, to);
    default:
      return false;
  }
}

template <bool kInTop>
bool run_spans(const Context& ctx, const ImageFormat& format, int spans, const ByteWindow& job,
               const std::uint8_t* from, std::uint8_t* to) {
  switch (spans) {
    case 2:
      return run_channels<2, kInTop>(ctx, format, job, from, to);
    case 3:
      return run_channels<3, kInTop>(ctx, format, job, from, to);
    case 4:
      return run_channels<4, kInTop>(ctx, format, job, from, to);
    default:
      return run_channels<most_spans, kInTop>(ctx, format, job, from, to);
  }
}

// The number of spans that a window of this radius needs, of the numbers for which there are kernels; 0: too many.
int spans_of(Index radius) {
  for (const int spans : {2, 3, 4, most_spans}) {
    if (radius <= window_margin(spans)) return spans;
  }
  return 0;
}

}  // namespace

bool sum_byte_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                      Border border, std::uint8_t beyond, const std::uint8_t* from, std::uint8_t* to) {
  constexpr Index most = std::numeric_limits<int>::max() - 4096;  // so that places beyond rows fit int too
  const int spans = spans_of(std::max(passes.y.radius(), passes.x.radius()));
  if (spans == 0 || format.height > most || format.row() > most) return false;
  if (has_negative(passes.y) || has_negative(passes.x) || passes.y.shift > between_bits) return false;
  // If the taps permit it and results need no clipping, sums are scaled so that results are their upper bytes.
  const int scale = top - passes.x.shift;
  const Index between = kernels::largest_result(passes.y, largest_level);
  const bool in_top = scale >= 0 &&
                      *std::max_element(passes.x.taps.begin(), passes.x.taps.end()) << scale <= largest_tap &&
                      kernels::largest_result(passes.x, between) <= largest_level;
  ByteWindow job{};
  job.height = static_cast<int>(format.height);
  job.row = static_cast<int>(format.row());
  job.lower_scale = 1U << (between_bits - passes.y.shift);
  job.upper_scale = job.lower_scale << 8;
  job.half_y = (1U << passes.y.shift >> 1) * job.lower_scale;
  job.shift_x = in_top ? top : passes.x.shift;
  fill_beside(border, format.height, job.rows);
  fill_beside(border, format.width, job.pixels);
  job.half_x = 1 << job.shift_x >> 1;
  job.aligned = is_aligned(format, from, to);
  job.border = border;
  job.beyond = beyond;
  fill_bytes(passes.y, 0, spans, job.taps[0], job.taps[1]);
  fill_bytes(passes.x, in_top ? scale : 0, spans, job.taps[2], job.taps[3]);
  return (in_top ? run_spans<true> : run_spans<false>)(ctx, format, spans, job, from, to);
}

}  // namespace whorl::backend::cuda
