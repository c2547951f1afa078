#include "filter/src/kernels/geometry/quarter_turn.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

template <class T>
void quarter_turn(const Context& ctx, const kernels::QuarterTurnJob& job, const T* from, T* to) {
  // Source and result of a tile stay in the first-level cache.
  constexpr Index tile = 32;
  const Index height = job.turns == 2 ? job.height : job.width;
  const Index width = job.turns == 2 ? job.width : job.height;
  const Index channels = job.channels;
  const Index across = divide_up(width, tile);
  const Index down = divide_up(height, tile);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index part = 0; part < job.slices * down * across; ++part) {
    if (ctx.cancel_requested()) continue;
    const Index slice = part / (down * across) * height * width;
    const Index top = part / across % down * tile;
    const Index left = part % across * tile;
    for (Index y = top; y < std::min(top + tile, height); ++y) {
      for (Index x = left; x < std::min(left + tile, width); ++x) {
        const T* source = from + (slice + kernels::quarter_turn_source(job, y, x)) * channels;
        T* target = to + (slice + y * width + x) * channels;
        for (Index c = 0; c < channels; ++c) target[c] = source[c];
      }
    }
  }
}

}  // namespace

void register_quarter_turn() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::quarter_turn<T>.set(DeviceKind::cpu, quarter_turn<T>);
  });
}

}  // namespace whorl::backend::cpu
