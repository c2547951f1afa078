// Memory of arrays: aligned blocks from a pool that keeps them for the next array of the same size.
#pragma once

#include <cstddef>
#include <filesystem>
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
  /// Like allocate(), or null where that would throw.
  std::shared_ptr<std::byte> allocate_if_there(std::size_t bytes);

  /// Runs `work` and reserves the blocks that it returns to the pool, for as long as the returned object lives. Needed
  /// for recorded work, which runs again in the same memory.
  std::shared_ptr<void> keep_scratch_of(const std::function<void()>& work);

  /// This pool for work that runs beside that of other numbers (kernels/side_by_side.hpp): blocks that one number
  /// returned are not given to another. Limit, statistics and kept scratch are shared. This pool has the number 0.
  MemoryPool branch(int number) const;

  /// A pool for arrays of the same device that need not lie in its memory: a CPU's lie in temporary files in `folder`
  /// (mapped_array), a GPU's in the memory of the host, which kernels reach over the bus. After the first `away` bytes the
  /// next `resident` bytes are taken from this pool: what comes last is most often what is used most. It has a limit and
  /// statistics of its own, of both places; kept scratch is that of both pools. On a CPU `allocate` also throws what
  /// mapped_array throws.
  MemoryPool spilled(const std::filesystem::path& folder, std::size_t away = 0, std::size_t resident = 0,
                     std::size_t limit = 0) const;
  /// The pool that this one was made from by `spilled`; else this one.
  MemoryPool unspilled() const;

  /// Returns the kept blocks to the system.
  void trim();

  MemoryStatistics statistics() const;
  /// Restarts the peak: it counts from now on, beginning with what is held now.
  void restart_peak();
  Device device() const;
  /// The most bytes that the pool may hold: the given limit, or the device's memory less what others use.
  std::size_t limit() const;

 private:
  struct State;
  MemoryPool(std::shared_ptr<State> state, std::shared_ptr<State> unspilled, int branch);

  std::shared_ptr<State> state_;
  std::shared_ptr<State> unspilled_;  // of a pool of spilled arrays, that of the device's memory
  int branch_ = 0;
};

}  // namespace whorl
