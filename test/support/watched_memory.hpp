// Memory that counts how much of it has been used, and can stop the work at a given count. Tests of cancellation count
// work with it, not time.
#pragma once

#include <cstddef>

#include "whorl/core/context.hpp"

namespace whorl::test {

/// Watches the whole pages of a stretch of memory while it lives. The first use of a page, in any thread, counts. One
/// after the other, or several of different memory.
class WatchedMemory {
 public:
  WatchedMemory(const void* memory, std::size_t bytes);
  ~WatchedMemory();
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  /// The context's work is asked to stop by use number `use`, from 1. The context must live as long.
  void stop_at(const Context& ctx, Index use) const;

  Index pages() const { return pages_; }
  Index used() const;

 private:
  Index pages_ = 0;
  int slot_;
};

}  // namespace whorl::test
