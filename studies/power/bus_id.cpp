#include <array>

#include "backend/cuda/runtime.hpp"
#include "studies/power/nvml.hpp"

namespace whorl::studies {

std::string pci_bus_id(const Context& ctx) {
  if (ctx.device().kind != DeviceKind::cuda) return {};
  constexpr std::size_t longest = 32;
  std::array<char, longest> id{};
  backend::cuda::check(cudaDeviceGetPCIBusId(id.data(), longest, ctx.device().index), "cudaDeviceGetPCIBusId");
  return id.data();
}

}  // namespace whorl::studies
