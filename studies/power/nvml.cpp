#include "studies/power/nvml.hpp"

#include <dlfcn.h>

namespace whorl::studies {

/// The four functions of NVML that are needed, as its documentation declares them; a device is an opaque pointer, and 0
/// means success.
class EnergyMeter::Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) return;
    find("nvmlInit_v2", init_);
    find("nvmlShutdown", shutdown_);
    find("nvmlDeviceGetHandleByPciBusId_v2", device_at_);
    find("nvmlDeviceGetTotalEnergyConsumption", energy_);
    started_ = init_ != nullptr && shutdown_ != nullptr && device_at_ != nullptr && energy_ != nullptr && init_() == 0;
  }
  ~Library() {
    if (started_) shutdown_();
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool choose(const std::string& pci_bus_id) {
    unsigned long long millijoules = 0;
    return started_ && device_at_(pci_bus_id.c_str(), &device_) == 0 && energy_(device_, &millijoules) == 0;
  }
  double joules() const {
    constexpr double per_millijoule = 1e-3;
    unsigned long long millijoules = 0;
    energy_(device_, &millijoules);
    return per_millijoule * static_cast<double>(millijoules);
  }

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
  }

  void* handle_;
  void* device_ = nullptr;
  bool started_ = false;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*device_at_)(const char*, void**) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
};

EnergyMeter::EnergyMeter(std::unique_ptr<Library> library) : library_(std::move(library)) {}
EnergyMeter::~EnergyMeter() = default;

std::unique_ptr<EnergyMeter> EnergyMeter::open(const std::string& pci_bus_id) {
  if (pci_bus_id.empty()) return nullptr;
  auto library = std::make_unique<Library>();
  if (!library->choose(pci_bus_id)) return nullptr;
  return std::unique_ptr<EnergyMeter>(new EnergyMeter(std::move(library)));
}

double EnergyMeter::joules() const { return library_->joules(); }

}  // namespace whorl::studies
