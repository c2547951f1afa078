// Energy that an NVIDIA GPU has taken, by its driver's library NVML, which is looked for when the program runs.
#pragma once

#include <memory>
#include <string>

#include "whorl/core/context.hpp"

namespace whorl::studies::gridding_2d {

class EnergyMeter {
 public:
  /// Of the GPU at a PCI address; none where there is no NVML or it can not tell.
  static std::unique_ptr<EnergyMeter> open(const std::string& pci_bus_id);
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// Joules since the driver was loaded; the counter moves every 0.1 s or more often.
  double joules() const;

 private:
  class Library;
  explicit EnergyMeter(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

/// The PCI address of the context's device; empty where it has none that is known.
std::string pci_bus_id(const Context& ctx);

}  // namespace whorl::studies::gridding_2d
