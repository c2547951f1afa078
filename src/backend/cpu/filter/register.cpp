#include "backend/cpu/filter/register.hpp"

#include "backend/cpu/filter/flip.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void register_type() {
  constexpr auto device = DeviceKind::cpu;
  kernels::flip<T>.set(device, flip<T>);
}

}  // namespace

void register_filters() {
  register_type<std::uint8_t>();
  register_type<std::uint16_t>();
  register_type<float>();
}

}  // namespace whorl::backend::cpu
