// Rows with their pixels in the opposite order.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// `count` pixels of `size` bytes each. `stream` writes past the caches.
void mirror_row(const std::uint8_t* from, Index count, Index size, bool stream, std::uint8_t* to);

}  // namespace whorl::backend::cpu
