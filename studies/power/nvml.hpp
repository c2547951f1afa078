// The energy used by an NVIDIA GPU, from its driver's library NVML, which is loaded at run time.
#pragma once

#include <memory>
#include <string>

#include "whorl/core/context.hpp"

namespace whorl::studies {

class EnergyMeter {
 public:
  /// Meter of the GPU at a PCI address; none without NVML, or if it cannot tell.
  static std::unique_ptr<EnergyMeter> open(const std::string& pci_bus_id);
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// Joules since the driver was loaded; the counter is updated at least every 0.1 s.
  double joules() const;

 private:
  class Library;
  explicit EnergyMeter(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

/// The PCI address of the context's device; empty if unknown.
std::string pci_bus_id(const Context& ctx);

}  // namespace whorl::studies
