// Memory of arrays: aligned blocks from a pool that keeps them for the next array of the same size.
#pragma once

#include <cstddef>
#include <functional>
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
/// fresh from the system costs a page fault for every 4 KiB, and one fresh from a GPU's driver a wait for the GPU. Safe
/// to use from several threads. Blocks may outlive the pool object: the last block alive keeps its state.
///
/// A block of a GPU may come back, and be given out again, while work that uses it has yet to run: all work of a
/// context runs in the order in which it was asked for (Context), so whoever gets the block next uses it later.
class MemoryPool {
 public:
  /// `limit`: bytes that it may hold at most, those that wait for use included; 0: what the device has.
  explicit MemoryPool(Device device, std::size_t limit = 0);

  /// A block of at least `bytes`, not initialized. Throws Error naming the size when the system has no more memory or
  /// the limit is reached.
  std::shared_ptr<std::byte> allocate(std::size_t bytes);

  /// Runs `work`, and keeps the memory that it used and gave back from being given to anybody else for as long as the
  /// returned object lives: work that was recorded is going to run again in the same memory.
  std::shared_ptr<void> keep_scratch_of(const std::function<void()>& work);

  /// Gives the blocks that wait for use back to the system.
  void trim();

  MemoryStatistics statistics() const;
  Device device() const;
  /// Bytes that it may hold at most: the limit that was asked for, or what the device has besides what others use.
  std::size_t limit() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace whorl
