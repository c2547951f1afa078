#include "backend/cpu/filter/plates.hpp"

namespace whorl::backend::cpu {

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index i = 0; i < job.pixels; ++i) {
    for (int c = 0; c < job.count; ++c)
      to[i * job.count + c] = job.plates[static_cast<std::size_t>(c)][i * job.channels];
  }
}

#define WHORL_INSTANTIATE(T) template void plates(const Context&, const kernels::PlatesJob<T>&, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
