// Where a memory pool's blocks come from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "whorl/core/device.hpp"

namespace whorl {

/// Blocks that work on a device reads and writes.
class BlockSource {
 public:
  BlockSource() = default;
  virtual ~BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;

  /// A block aligned to memory_alignment, or null if there is no room for one.
  virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void release(std::byte* block) const noexcept = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t free_bytes() const = 0;
  /// Where the blocks lie, for people.
  virtual std::string place() const = 0;
};

/// The device's memory.
std::unique_ptr<BlockSource> device_blocks(Device device);
/// Not the device's memory: a CPU's blocks lie in temporary files in `folder` (mapped_array), those of a GPU in the memory of the
/// host, which its kernels reach over the bus.
std::unique_ptr<BlockSource> spilled_blocks(Device device, const std::filesystem::path& folder);

}  // namespace whorl
