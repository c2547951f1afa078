#include "kernels/modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace whorl::kernels {

namespace {

std::vector<std::filesystem::path> folders_of(const Module& module) {
  std::vector<std::filesystem::path> folders;
  const char* variable = std::getenv("WHORL_MODULE_PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
  for (std::string_view rest = variable == nullptr ? "" : variable; !rest.empty();) {
    const std::size_t end = rest.find(':');
    if (end != 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  Dl_info house{};
  if (dladdr(module.house, &house) != 0 && house.dli_fname != nullptr) {
    folders.push_back(std::filesystem::path(house.dli_fname).parent_path());
  }
  return folders;
}

// The file in the folder; without a folder, the name alone, so that the system searches for it.
std::string path_of(const Module& module) {
  for (const std::filesystem::path& folder : folders_of(module)) {
    const std::filesystem::path path = folder / module.file;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return std::filesystem::absolute(path, error).string();
  }
  return module.file;
}

}  // namespace

Loaded load_module(const Module& module) {
  // Its symbols stay local, and it is never unloaded: its functions may be called until the process ends.
  void* const library = dlopen(path_of(module).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const entry = library == nullptr ? nullptr : dlsym(library, module.entry);
  if (entry != nullptr) return {reinterpret_cast<void (*)()>(entry), {}};
  const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
  return {nullptr, reason == nullptr ? module.file : reason};
}

std::string fill_from(const Module& module) {
  if (module.linked != nullptr) {
    module.linked();
    return {};
  }
  const Loaded loaded = load_module(module);
  if (loaded.entry == nullptr) return fmt::format("the code for NVIDIA GPUs can not be loaded: {}", loaded.why_not);
  loaded.entry();
  return {};
}

}  // namespace whorl::kernels
