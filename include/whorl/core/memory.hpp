// Memory of arrays: aligned blocks from a pool that keeps them for the next array of the same size.
#pragma once

#include <cstddef>
#include <memory>

#include "whorl/core/device.hpp"

namespace whorl {

/// Alignment of every block in bytes: a cache line, and enough for any SIMD width of today.
inline constexpr std::size_t memory_alignment = 64;

/// What a pool has given out.
struct MemoryStatistics {
  std::size_t in_use = 0;  ///< bytes held by live arrays
  std::size_t peak = 0;    ///< most bytes ever held by live arrays at once
  std::size_t cached = 0;  ///< bytes that wait for use again
};

/// A source of aligned blocks on one device. Blocks that come back are kept and given out again, since a large block
/// fresh from the system costs a page fault for every 4 KiB. Safe to use from several threads. Blocks may outlive the
/// pool object: the last block alive keeps its state.
class MemoryPool {
 public:
  explicit MemoryPool(Device device);

  /// A block of at least `bytes`, not initialized. Throws Error naming the size when the system has no more memory.
  std::shared_ptr<std::byte> allocate(std::size_t bytes);

  /// Gives the blocks that wait for use back to the system.
  void trim();

  MemoryStatistics statistics() const;
  Device device() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace whorl
