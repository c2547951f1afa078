#include "core/block_source.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "kernels/device_runtime.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/mapped_array.hpp"

namespace whorl {

namespace {

const kernels::DeviceRuntime& runtime_for(Device device) {
  const kernels::DeviceRuntime* runtime = kernels::runtime_of(device.kind);
  if (runtime == nullptr) {
    throw DeviceError(fmt::format("memory of {}: {}", to_string(device), kernels::register_core(device.kind)));
  }
  return *runtime;
}

class OnDeviceBlocks final : public BlockSource {
 public:
  explicit OnDeviceBlocks(Device device) : device_(device), runtime_(runtime_for(device)) {}

  std::byte* allocate(std::size_t bytes) const override { return runtime_.allocate(device_.index, bytes); }
  void release(std::byte* block) const noexcept override { runtime_.release(device_.index, block); }
  std::size_t free_bytes() const override { return runtime_.free_bytes(device_.index); }
  std::string place() const override { return to_string(device_); }

 private:
  Device device_;
  const kernels::DeviceRuntime& runtime_;
};

class HostBlocks final : public BlockSource {
 public:
  explicit HostBlocks(Device device) : device_(device), runtime_(runtime_for(device)) {}

  std::byte* allocate(std::size_t bytes) const override { return runtime_.allocate_on_host(device_.index, bytes); }
  void release(std::byte* block) const noexcept override { runtime_.release_on_host(block); }
  std::size_t free_bytes() const override { return runtime_for(Device{}).free_bytes(0); }
  std::string place() const override { return fmt::format("the host, where {} spills to", to_string(device_)); }

 private:
  Device device_;
  const kernels::DeviceRuntime& runtime_;
};

class FileBlocks final : public BlockSource {
 public:
  explicit FileBlocks(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::byte* allocate(std::size_t bytes) const override {
    std::shared_ptr<std::byte> file = detail::map_temporary_file(folder_, bytes);
    std::byte* const block = file.get();
    const std::scoped_lock lock(mutex_);
    files_.emplace(block, std::move(file));
    return block;
  }
  void release(std::byte* block) const noexcept override {
    const std::scoped_lock lock(mutex_);
    files_.erase(block);
  }
  std::size_t free_bytes() const override {
    std::error_code unknown;
    const std::filesystem::space_info space = std::filesystem::space(folder_, unknown);
    return unknown ? 0 : static_cast<std::size_t>(space.available);
  }
  std::string place() const override { return fmt::format("'{}'", folder_.string()); }

 private:
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::byte*, std::shared_ptr<std::byte>> files_;
};

}  // namespace

std::unique_ptr<BlockSource> device_blocks(Device device) { return std::make_unique<OnDeviceBlocks>(device); }

std::unique_ptr<BlockSource> spilled_blocks(Device device, const std::filesystem::path& folder) {
  if (device.kind == DeviceKind::cpu) return std::make_unique<FileBlocks>(folder);
  return std::make_unique<HostBlocks>(device);
}

}  // namespace whorl
