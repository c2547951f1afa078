// The energy used by the processors of a machine: RAPL's counters, as Linux shows them as files.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

namespace whorl::studies {

/// The packages of all sockets together, what they take when idle and for other programs included.
class RaplMeter {
 public:
  /// None where the folder has no package whose counter this user may read: virtual machines have none, and Linux lets
  /// only root read them.
  static std::unique_ptr<RaplMeter> open(const std::filesystem::path& folder = "/sys/class/powercap");

  /// Joules since the meter was opened. A counter starts again at its largest value, after minutes: call it more often.
  double joules();

 private:
  struct Package {
    std::filesystem::path counter;  ///< energy_uj, microjoules
    double range = 0;               ///< max_energy_range_uj
    double last = 0;
    double sum = 0;
  };
  explicit RaplMeter(std::vector<Package> packages) : packages_(std::move(packages)) {}
  std::vector<Package> packages_;
};

}  // namespace whorl::studies
