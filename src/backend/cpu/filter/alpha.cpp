#include "backend/cpu/filter/alpha.hpp"

#include <cstdint>

namespace whorl::backend::cpu {

template <class T, class Out>
void copy_alpha(const Context& ctx, Index pixels, int channels, const T* from, Out* to) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const Index last = pixel * channels + channels - 1;
    to[last] = static_cast<Out>(from[last]);
  }
}

#define WHORL_INSTANTIATE(T, Out) template void copy_alpha(const Context&, Index, int, const T*, Out*)
WHORL_INSTANTIATE(std::uint8_t, std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t, std::uint16_t);
WHORL_INSTANTIATE(std::uint8_t, float);
WHORL_INSTANTIATE(std::uint16_t, float);
WHORL_INSTANTIATE(float, float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
