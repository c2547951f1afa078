#include "filter/src/kernels/geometry/flip.hpp"

#include <algorithm>
#include <cstdint>

#include "filter/src/cpu/geometry/mirror_row.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to) {
  const Index rows = format.slices() * format.height;
  const Index row = format.row();
  const Index channels = count_of(format.channels);
  // Results larger than this bypass the caches when they are written.
  constexpr Index cached_bytes = 8 << 20;
  const bool stream = rows * row * Index{sizeof(T)} > cached_bytes;
  const MirrorTable table(channels * Index{sizeof(T)});
  const Index ahead = (axes.y ? -row : row) * Index{sizeof(T)};
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < rows; ++at) {
    if (ctx.cancel_requested()) continue;
    const Index y = at % format.height;
    const Index z = at / format.height % format.depth;
    const Index source_y = axes.y ? format.height - 1 - y : y;
    const Index source_z = axes.z ? format.depth - 1 - z : z;
    const T* source = from + (at + (source_y - y) + (source_z - z) * format.height) * row;
    T* target = to + at * row;
    if (!axes.x) {
      std::copy(source, source + row, target);
      continue;
    }
    mirror_row(reinterpret_cast<const std::uint8_t*>(source), format.width, table, ahead, stream,
               reinterpret_cast<std::uint8_t*>(target));
  }
}

}  // namespace

void register_flip() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::flip<T>.set(DeviceKind::cpu, flip<T>);
  });
}

}  // namespace whorl::backend::cpu
