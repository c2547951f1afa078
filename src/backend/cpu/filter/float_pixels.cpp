#include "backend/cpu/filter/float_pixels.hpp"

namespace whorl::backend::cpu {

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

#define WHORL_INSTANTIATE(T)                                              \
  template void to_float(const Context&, Index, float, const T*, float*); \
  template void from_float(const Context&, Index, float, const float*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
