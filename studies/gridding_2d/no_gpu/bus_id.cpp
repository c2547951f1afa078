#include "studies/gridding_2d/nvml.hpp"
#include "whorl/core/context.hpp"

namespace whorl::studies::gridding_2d {

std::string pci_bus_id(const Context& /*ctx*/) { return {}; }

}  // namespace whorl::studies::gridding_2d
