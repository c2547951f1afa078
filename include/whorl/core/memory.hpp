// Memory of arrays: aligned blocks from a pool that keeps them for the next array of the same size.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "whorl/core/device.hpp"

namespace WHORL_PUBLIC whorl {

/// Alignment of every block in bytes: a cache line, which is enough for all SIMD widths up to 512 bits.
inline constexpr std::size_t memory_alignment = 64;

/// Bytes of a pool.
struct MemoryStatistics {
  std::size_t in_use = 0;  ///< bytes held by live arrays and by keep_scratch_of
  std::size_t peak = 0;    ///< most bytes in use at once, ever or since restart_peak
  std::size_t cached = 0;  ///< bytes of returned blocks that the pool keeps for reuse
};

/// A source of aligned blocks on one device. It keeps returned blocks for reuse, because a new large block costs a page
/// fault per 4 KiB from the system, and a wait for the GPU from its driver. Several threads may use it at once. Blocks
/// may outlive the pool object: the last block keeps the pool's state alive.
///
/// On a GPU a block may be returned and reused while work on it is still queued. This is safe, because all work of a
/// context runs in the order of the calls (Context): the next owner's work runs later.
class MemoryPool {
 public:
  /// `limit`: the most bytes that the pool may hold, including kept blocks; 0: all the device's memory.
  explicit MemoryPool(Device device, std::size_t limit = 0);

  /// A block of at least `bytes`, not initialized. Throws Error, naming the size, when memory runs out or the limit is
  /// reached.
  std::shared_ptr<std::byte> allocate(std::size_t bytes);

  /// Runs `work` and reserves the blocks that it returns to the pool, for as long as the returned object lives. Needed
  /// for recorded work, which runs again in the same memory.
  std::shared_ptr<void> keep_scratch_of(const std::function<void()>& work);

  /// The same pool for work that runs beside that of other numbers (kernels/side_by_side.hpp): blocks that one number
  /// returned are not given to another. Limit, statistics and kept scratch are shared. This pool has the number 0.
  MemoryPool branch(int number) const;

  /// Returns the kept blocks to the system.
  void trim();

  MemoryStatistics statistics() const;
  /// From now on the peak is that of what follows, and no less than what is held now.
  void restart_peak();
  Device device() const;
  /// The most bytes that the pool may hold: the given limit, or the device's memory less what others use.
  std::size_t limit() const;

 private:
  struct State;
  MemoryPool(std::shared_ptr<State> state, int branch);

  std::shared_ptr<State> state_;
  int branch_ = 0;
};

}  // namespace whorl
