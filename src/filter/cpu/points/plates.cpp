#include "filter/kernels/points/plates.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index i = 0; i < job.pixels; ++i) {
    for (int c = 0; c < job.count; ++c)
      to[i * job.count + c] = job.plates[static_cast<std::size_t>(c)][i * job.channels];
  }
}

}  // namespace

void register_plates() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::plates<T>.set(DeviceKind::cpu, plates<T>);
  });
}

}  // namespace whorl::backend::cpu
