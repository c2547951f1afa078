#include "core/block_source.hpp"

#include <fmt/format.h>

#include <map>
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

  std::byte* allocate(std::size_t bytes, int) override { return runtime_.allocate(device_.index, bytes); }
  void release(std::byte* block) noexcept override { runtime_.release(device_.index, block); }
  std::size_t free_bytes() const override { return runtime_.free_bytes(device_.index); }
  std::string place() const override { return to_string(device_); }

 private:
  Device device_;
  const kernels::DeviceRuntime& runtime_;
};

class HostBlocks final : public BlockSource {
 public:
  explicit HostBlocks(Device device) : device_(device), runtime_(runtime_for(device)) {}

  std::byte* allocate(std::size_t bytes, int) override { return runtime_.allocate_on_host(device_.index, bytes); }
  void release(std::byte* block) noexcept override { runtime_.release_on_host(block); }
  std::size_t free_bytes() const override { return runtime_for(Device{}).free_bytes(0); }
  std::string place() const override { return fmt::format("the host, where {} spills to", to_string(device_)); }

 private:
  Device device_;
  const kernels::DeviceRuntime& runtime_;
};

class FileBlocks final : public BlockSource {
 public:
  explicit FileBlocks(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::byte* allocate(std::size_t bytes, int) override {
    std::shared_ptr<std::byte> file = detail::map_temporary_file(folder_, bytes);
    std::byte* const block = file.get();
    files_.emplace(block, std::move(file));
    return block;
  }
  void release(std::byte* block) noexcept override { files_.erase(block); }
  std::size_t free_bytes() const override {
    std::error_code unknown;
    const std::filesystem::space_info space = std::filesystem::space(folder_, unknown);
    return unknown ? 0 : static_cast<std::size_t>(space.available);
  }
  std::string place() const override { return fmt::format("'{}'", folder_.string()); }

 private:
  std::filesystem::path folder_;
  std::map<std::byte*, std::shared_ptr<std::byte>> files_;
};

class SpillingBlocks final : public BlockSource {
 public:
  SpillingBlocks(MemoryPool pool, std::size_t away, std::size_t resident, std::unique_ptr<BlockSource> beyond)
      : pool_(std::move(pool)), to_go_away_(away), resident_(resident), room_(resident), beyond_(std::move(beyond)) {}

  std::byte* allocate(std::size_t bytes, int branch) override {
    std::shared_ptr<std::byte> here;
    if (away_ >= to_go_away_ && bytes <= room_) here = pool_.branch(branch).allocate_if_there(bytes);
    std::byte* const block = here != nullptr ? here.get() : beyond_->allocate(bytes, branch);
    if (block == nullptr) return nullptr;
    if (here != nullptr) {
      room_ -= bytes;
    } else {
      away_ += bytes;
    }
    blocks_.emplace(block, Block{std::move(here), bytes});
    return block;
  }
  void release(std::byte* block) noexcept override {
    const auto found = blocks_.find(block);
    if (found->second.here != nullptr) {
      room_ += found->second.bytes;
    } else {
      away_ -= found->second.bytes;
      beyond_->release(block);
    }
    blocks_.erase(found);
  }
  std::size_t free_bytes() const override { return room_ + beyond_->free_bytes(); }
  std::string place() const override { return beyond_->place(); }
  bool gains_by_release(std::size_t bytes) const override {
    return away_ >= to_go_away_ && bytes > room_ && bytes <= resident_;
  }

 private:
  struct Block {
    std::shared_ptr<std::byte> here;  // of the pool; else it lies beyond
    std::size_t bytes;
  };

  MemoryPool pool_;
  std::size_t to_go_away_;
  std::size_t away_ = 0;
  std::size_t resident_;
  std::size_t room_;  // of that, what is left
  std::unique_ptr<BlockSource> beyond_;
  std::map<std::byte*, Block> blocks_;
};

}  // namespace

std::unique_ptr<BlockSource> device_blocks(Device device) { return std::make_unique<OnDeviceBlocks>(device); }

std::unique_ptr<BlockSource> spilled_blocks(const MemoryPool& pool, std::size_t away, std::size_t resident,
                                            const std::filesystem::path& folder) {
  std::unique_ptr<BlockSource> beyond;
  if (pool.device().kind == DeviceKind::cpu) {
    beyond = std::make_unique<FileBlocks>(folder);
  } else {
    beyond = std::make_unique<HostBlocks>(pool.device());
  }
  return std::make_unique<SpillingBlocks>(pool, away, resident, std::move(beyond));
}

}  // namespace whorl
