// Rows with their pixels in the opposite order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// A table for 16 bytes: reverses the order of the last whole pixels of `size` bytes in them.
struct MirrorTable {
  explicit MirrorTable(Index bytes);

  static constexpr Index block = 16;
  Index size;
  std::uint8_t order[block] = {};
};

/// Mirrors `count` pixels. The row that is read next begins `ahead` bytes further. `stream` bypasses the caches.
void mirror_row(const std::uint8_t* from, Index count, const MirrorTable& table, std::ptrdiff_t ahead, bool stream,
                std::uint8_t* to);

}  // namespace whorl::backend::cpu
