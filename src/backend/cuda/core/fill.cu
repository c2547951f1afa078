// Repeats a pattern over memory of the device.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/cuda/launch.hpp"
#include "kernels/device_runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Pattern>
__global__ void fill(Pattern* to, Pattern pattern, Index count) {
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += Index{gridDim.x} * blockDim.x) {
    to[i] = pattern;
  }
}

template <class Pattern>
void fill_with(const Context& ctx, void* to, const void* pattern, Index count) {
  constexpr int threads = 256;
  constexpr Index most_blocks = 2048;
  Pattern value;
  std::memcpy(&value, pattern, sizeof(Pattern));
  launch(ctx, "fill", fill<Pattern>, {grid_of(std::min(most_blocks, divide_up(count, threads))), threads},
         static_cast<Pattern*>(to), value, count);
}

void fill_pattern(const Context& ctx, void* to, const void* pattern, std::size_t pattern_bytes, Index count) {
  const auto* byte = static_cast<const unsigned char*>(pattern);
  if (std::all_of(byte, byte + pattern_bytes, [&](unsigned char b) { return b == *byte; })) {
    const std::size_t bytes = pattern_bytes * static_cast<std::size_t>(count);
    return check(cudaMemsetAsync(to, *byte, bytes, stream_of(ctx)), "cudaMemsetAsync");
  }
  switch (pattern_bytes) {
    case 2:
      return fill_with<std::uint16_t>(ctx, to, pattern, count);
    case 4:
      return fill_with<std::uint32_t>(ctx, to, pattern, count);
    case 8:
      return fill_with<std::uint64_t>(ctx, to, pattern, count);
    case 16:
      return fill_with<ulonglong2>(ctx, to, pattern, count);
    default:
      throw Unsupported("fill: elements of " + std::to_string(pattern_bytes) + " bytes on a GPU");
  }
}

}  // namespace

void register_fill() { kernels::fill_pattern.set(DeviceKind::cuda, fill_pattern); }

}  // namespace whorl::backend::cuda
