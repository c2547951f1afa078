#include "backend/cuda/filter/byte_windows.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/device/byte_windows.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr std::uintptr_t alignment = 16;
constexpr int largest_tap = std::numeric_limits<std::uint16_t>::max();

bool is_aligned(const ImageFormat& format, const void* from, const void* to) {
  return format.row() % static_cast<Index>(alignment) == 0 && reinterpret_cast<std::uintptr_t>(from) % alignment == 0 &&
         reinterpret_cast<std::uintptr_t>(to) % alignment == 0;
}

template <int kSpan, int kSteps>
bool run(const Context& ctx, const ByteWindow& job, const std::uint8_t* from, std::uint8_t* to) {
  const auto bytes = static_cast<std::size_t>(window_bytes(kSpan, job.steps));
  if (bytes > properties_of(ctx).sharedMemPerBlockOptin) return false;
  const cudaStream_t stream = stream_of(ctx);
  const auto kernel = byte_window_kernel<kSpan, kSteps>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, window_threads, bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const Index at_once = Index{std::max(blocks, 1)} * properties_of(ctx).multiProcessorCount;
  kernel<<<static_cast<unsigned>(std::min(job.tiles, at_once)), window_threads, bytes, stream>>>(job, from, to);
  check_launch("separable");
  return true;
}

}  // namespace

bool sum_byte_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                      Border border, std::uint8_t beyond, const std::uint8_t* from, std::uint8_t* to) {
  const auto negative = [](std::int16_t tap) { return tap < 0; };
  const auto& y = passes.y.taps;
  const auto& x = passes.x.taps;
  if (std::any_of(y.begin(), y.end(), negative) || std::any_of(x.begin(), x.end(), negative)) return false;
  const int channels = count_of(format.channels);
  const Index reach = passes.x.radius() * channels;
  const Index steps = (warp_rows + 2 * passes.y.radius() + 31) / 32;
  const Index span = std::max<Index>(1, (reach + segment - 1) / segment);
  if (steps > most_steps || span > most_span) return false;
  // Where taps leave room and results need no clipping, sums are scaled so that results are their upper bytes.
  constexpr int top = 24;
  const int scale = top - passes.x.shift;
  const Index between = kernels::largest_result(passes.y, std::numeric_limits<std::uint8_t>::max());
  const bool in_top = scale >= 0 && *std::max_element(x.begin(), x.end()) << scale <= largest_tap &&
                      kernels::largest_result(passes.x, between) <= std::numeric_limits<std::uint8_t>::max();
  ByteWindow job{format.height,
                 format.row(),
                 (format.row() + tile_columns - 1) / tile_columns,
                 (format.height + tile_rows - 1) / tile_rows,
                 0,
                 channels,
                 static_cast<int>(passes.y.radius()),
                 static_cast<int>(passes.x.radius()),
                 passes.y.shift,
                 in_top ? top : passes.x.shift,
                 static_cast<int>(steps),
                 is_aligned(format, from, to),
                 in_top,
                 border,
                 beyond,
                 {},
                 {}};
  job.tiles = job.tiles_across * job.tiles_down * format.slices();
  std::copy(y.begin(), y.end(), job.y);
  std::transform(x.begin(), x.end(), job.x,
                 [&](std::int16_t tap) { return static_cast<std::uint16_t>(in_top ? tap << scale : tap); });
  const auto run_span = [&](auto single, auto many) { return (steps == 1 ? single : many)(ctx, job, from, to); };
  switch (span) {
    case 1:
      return run_span(run<1, 1>, run<1, 0>);
    case 2:
      return run_span(run<2, 1>, run<2, 0>);
    default:
      return run_span(run<3, 1>, run<3, 0>);
  }
}

}  // namespace whorl::backend::cuda
