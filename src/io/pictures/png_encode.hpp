// Pixels as a PNG file, whatever its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "whorl/core/context.hpp"
#include "whorl/core/image.hpp"

namespace whorl::io {

/// Writes gray or RGB pixels of 8 bits, row by row from the top, as a PNG that appears under its name only when it is
/// complete. Throws IoError, Cancelled.
void write_png_pixels(const Context& ctx, const std::filesystem::path& path, Index width, Index height,
                      Channels channels, std::span<const std::uint8_t> pixels);

}  // namespace whorl::io
