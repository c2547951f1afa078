#include "filter/src/kernels/points/alpha.hpp"

#include <cstdint>

#include "filter/src/cpu/pieces.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T, class Out>
void copy_alpha(const Context& ctx, Index pixels, int channels, const T* from, Out* to) {
  in_pieces(ctx, pixels, [=](Index first, Index end) {
    for (Index pixel = first; pixel < end; ++pixel) {
      const Index last = pixel * channels + channels - 1;
      to[last] = static_cast<Out>(from[last]);
    }
  });
}

}  // namespace

void register_alpha() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::copy_alpha<T, T>.set(DeviceKind::cpu, copy_alpha<T, T>);
    kernels::copy_alpha<T, float>.set(DeviceKind::cpu, copy_alpha<T, float>);
  });
}

}  // namespace whorl::backend::cpu
