// Pictures of small matrices, enlarged for viewing.
#pragma once

#include <cstdint>
#include <vector>

#include "io/pictures/montage.hpp"

namespace whorl::io {

/// The zoom that is asked for, or comfortable_zoom for 0. Throws ValueError, beginning with `operation`, for one that
/// leaves no side of at most 65535.
Index checked_zoom(const char* operation, const MontageLayout& layout, Index asked);

/// Each pixel as a square.
std::vector<std::uint8_t> enlarged(const std::vector<std::uint8_t>& pixels, Index width, Index height, Index zoom);

}  // namespace whorl::io
