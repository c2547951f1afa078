// Where a memory pool's blocks come from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "whorl/core/integer.hpp"
#include "whorl/core/memory.hpp"

namespace whorl {

/// Blocks that work on a device reads and writes. One call at a time: a pool locks.
class BlockSource {
 public:
  BlockSource() = default;
  virtual ~BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;

  /// A block aligned to memory_alignment, or null if there is no room for one. `branch`: that of the pool which asks.
  virtual std::byte* allocate(std::size_t bytes, int branch) = 0;
  virtual void release(std::byte* block) noexcept = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t free_bytes() const = 0;
  /// Whether a block would lie in a better place if blocks that nobody uses were released.
  virtual bool gains_by_release(std::size_t) const { return false; }
  /// Where the blocks lie, for people.
  virtual std::string place() const = 0;
};

/// Bytes of the block that a pool takes for so many. Small blocks are rounded up to the alignment; large ones to 1/8 of their size's power
/// of two, so that blocks of nearly the same size (odd and even matrix sizes, frames of unequal length) serve each other. The
/// waste stays below 1/8.
constexpr std::size_t bytes_of_block(std::size_t bytes) {
  std::size_t step = memory_alignment;
  while (bytes / step >= 16) step *= 2;
  return bytes > step ? round_up(bytes, step) : step;
}

/// The device's memory.
std::unique_ptr<BlockSource> device_blocks(Device device);
/// Blocks outside of the device's memory: a CPU's lie in temporary files in `folder` (mapped_array), those of a GPU in the memory
/// of the host, which its kernels reach over the bus. Where `away` bytes are there, blocks of `pool` are taken, up to
/// `resident` bytes.
std::unique_ptr<BlockSource> spilled_blocks(const MemoryPool& pool, std::size_t away, std::size_t resident,
                                            const std::filesystem::path& folder);

}  // namespace whorl
