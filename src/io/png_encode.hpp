// Pixels as a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::io {

enum class PixelFormat { gray, rgb };

/// Writes 8-bit pixels, row by row from the top, as a PNG that appears under its name only when it is complete.
/// Throws IoError, Cancelled.
void write_png_pixels(const Context& ctx, const std::filesystem::path& path, Index width, Index height,
                      PixelFormat format, std::span<const std::uint8_t> pixels);

}  // namespace whorl::io
