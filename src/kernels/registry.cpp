#include "kernels/registry.hpp"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

namespace whorl::kernels {

Slots& slots_of(const char* name, const std::type_info& signature) {
  static std::mutex mutex;
  // Never destroyed: kernels are called until the process ends.
  static auto& all = *new std::unordered_map<std::string, Slots>;  // NOLINT(cppcoreguidelines-owning-memory)
  // The key uses the type's name, because each library has its own type_info.
  const std::string key = fmt::format("{}\n{}", name, signature.name());
  const std::scoped_lock lock(mutex);
  return all[key];
}

void set_slot(Slots& slots, const char* name, DeviceKind device, AnyFunction function) {
  const AnyFunction before = slots.of[static_cast<int>(device)].exchange(function, std::memory_order_acq_rel);
  if (before != nullptr && before != function) {
    throw Error(fmt::format("kernel '{}': two of this name have the same signature", name));
  }
}

void refuse(const char* name, Device device, std::string_view why) {
  if (why.empty()) throw Unsupported(fmt::format("{}: not available on {} in this build", name, to_string(device)));
  throw Unsupported(fmt::format("{}: not available on {}: {}", name, to_string(device), why));
}

}  // namespace whorl::kernels
