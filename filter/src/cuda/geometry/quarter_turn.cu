#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/geometry/quarter_turn.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// A warp writes 32 pixels of a row and reads 32 rows, whose sectors the next warps find in the cache.
constexpr int tile = 32;
constexpr int tile_rows = 8;

template <class T>
__global__ void quarter_turn_kernel(kernels::QuarterTurnJob job, Index height, Index width, Index across, Index tiles,
                                    const T* __restrict__ from, T* __restrict__ to) {
  for (Index part = blockIdx.x; part < tiles; part += gridDim.x) {
    const Index down = divide_up(height, tile);
    const Index slice = part / (down * across) * height * width;
    const Index x = part % across * tile + threadIdx.x;
    if (x >= width) continue;
    for (int row = static_cast<int>(threadIdx.y); row < tile; row += tile_rows) {
      const Index y = part / across % down * tile + row;
      if (y >= height) break;
      const T* source = from + (slice + kernels::quarter_turn_source(job, y, x)) * job.channels;
      T* target = to + (slice + y * width + x) * job.channels;
      for (int c = 0; c < job.channels; ++c) target[c] = source[c];
    }
  }
}

template <class T>
void quarter_turn(const Context& ctx, const kernels::QuarterTurnJob& job, const T* from, T* to) {
  const Index height = job.turns == 2 ? job.height : job.width;
  const Index width = job.turns == 2 ? job.width : job.height;
  const Index across = divide_up(width, tile);
  const Index tiles = job.slices * (divide_up(height, tile)) * across;
  constexpr Index most_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min(tiles, most_blocks));
  launch(ctx, "quarter_turn", quarter_turn_kernel<T>, {blocks, dim3(tile, tile_rows)}, job, height, width, across,
         tiles, from, to);
}

}  // namespace

void register_quarter_turn() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::quarter_turn<T>.set(DeviceKind::cuda, quarter_turn<T>);
  });
}

}  // namespace whorl::backend::cuda
