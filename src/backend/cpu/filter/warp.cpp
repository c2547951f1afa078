#include "backend/cpu/filter/warp.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to) {
  // Slanted lines through a tile meet few rows of the image.
  constexpr Index tile = 64;
  const Index across = (job.result_width + tile - 1) / tile;
  const Index down = (job.result_height + tile - 1) / tile;
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic, 4)
  for (Index part = 0; part < job.slices * down * across; ++part) {
    const Index slice = part / (down * across);
    const Index top = part / across % down * tile;
    const Index left = part % across * tile;
    const T* source = from + slice * job.rows_there * job.width * job.channels;
    for (Index y = top; y < std::min(top + tile, job.result_height); ++y) {
      T* row = to + (slice * job.result_height + y) * job.result_width * job.channels;
      for (Index x = left; x < std::min(left + tile, job.result_width); ++x) {
        kernels::warp_pixel(job, source, y, x, row + x * job.channels);
      }
    }
  }
}

#define WHORL_INSTANTIATE(T) template void warp(const Context&, const kernels::WarpJob<T>&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
