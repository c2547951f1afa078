#include "backend/cpu/filter/flip.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to) {
  const Index rows = format.slices() * format.height;
  const Index row = format.row();
  const Index channels = count_of(format.channels);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < rows; ++at) {
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
    for (Index x = 0; x < format.width; ++x) {
      for (Index c = 0; c < channels; ++c) target[x * channels + c] = source[(format.width - 1 - x) * channels + c];
    }
  }
}

#define WHORL_INSTANTIATE(T) template void flip(const Context&, const ImageFormat&, kernels::FlippedAxes, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
