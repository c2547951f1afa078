#include "filter/kernels/points/float_pixels.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void to_float(const Context& ctx, Index count, float offset, const T* from, float* to) {
#pragma omp parallel for simd num_threads(ctx.threads()) schedule(static)
  for (Index i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) - offset;
}

template <class T>
void from_float(const Context& ctx, Index count, float offset, const float* from, T* to) {
#pragma omp parallel for simd num_threads(ctx.threads()) schedule(static)
  for (Index i = 0; i < count; ++i) to[i] = kernels::number_of<T>(from[i] + offset);
}

}  // namespace

void register_float_pixels() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::from_float<T>.set(DeviceKind::cpu, from_float<T>);
    kernels::to_float<T>.set(DeviceKind::cpu, to_float<T>);
  });
}

}  // namespace whorl::backend::cpu
