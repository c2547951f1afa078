#include "backend/cuda/filter/register.hpp"

#include "backend/cuda/filter/flip.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
void register_type() {
  constexpr auto device = DeviceKind::cuda;
  kernels::flip<T>.set(device, flip<T>);
}

}  // namespace

void register_filters() {
  register_type<std::uint8_t>();
  register_type<std::uint16_t>();
  register_type<float>();
}

}  // namespace whorl::backend::cuda
