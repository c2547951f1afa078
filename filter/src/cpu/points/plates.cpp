#include "filter/src/kernels/points/plates.hpp"

#include "filter/src/cpu/pieces.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to) {
  in_pieces(ctx, job.pixels, [&job, to](Index first, Index last) {
    T* pixel = to + first * job.count;
    for (Index i = first; i < last; ++i) {
      for (int c = 0; c < job.count; ++c) *pixel++ = job.plates[static_cast<std::size_t>(c)][i * job.channels];
    }
  });
}

}  // namespace

void register_plates() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::plates<T>.set(DeviceKind::cpu, plates<T>);
  });
}

}  // namespace whorl::backend::cpu
