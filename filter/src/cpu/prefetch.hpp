// Prefetching by hand. The processor's own prefetch is too short for pictures larger than its caches.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>

namespace whorl::backend::cpu {

/// The distance of prefetches in bytes, for rows that are `row_bytes` apart: not so far that data would leave the
/// second-level cache before their use.
inline std::ptrdiff_t bytes_ahead(std::ptrdiff_t row_bytes) {
  constexpr std::ptrdiff_t most = 32768;
  return std::clamp<std::ptrdiff_t>(row_bytes, 0, most);
}

/// Prefetches the cache line this far after a place; it may be beyond the end. Compilers remove calls of functions that
/// only do this, unless the functions are inlined first.
template <class T>
HWY_INLINE void prefetch_behind(const T* place, std::ptrdiff_t bytes) {
  hwy::Prefetch(reinterpret_cast<const std::byte*>(place) + bytes);
}

/// All lines of a row.
HWY_INLINE void prefetch_row(const std::byte* row, std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t line = 64;
  for (std::ptrdiff_t i = 0; i < bytes; i += line) hwy::Prefetch(row + i);
}

}  // namespace whorl::backend::cpu
