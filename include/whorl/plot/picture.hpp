// Picture: an RGB picture in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"
#include "whorl/plot/colormap.hpp"

namespace WHORL_PUBLIC whorl {

struct Picture {
  Index width = 0;
  Index height = 0;
  std::vector<Color> pixels;  ///< row by row from the top

  Color& at(Index y, Index x) { return pixels[static_cast<std::size_t>(y * width + x)]; }
  const Color& at(Index y, Index x) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
};

/// A picture of one color. Throws ValueError for no pixels or more than 65535 per side.
Picture blank_picture(Index width, Index height, Color color);

/// Two pictures below one another, left-aligned, on black.
Picture stacked(const Picture& top, const Picture& bottom, Index gap);

/// Pictures in rows of `columns`, on black, with `gap` pixels between neighbors. A row is as high as its highest
/// picture; all columns are as wide as the widest picture.
/// Throws ValueError (no picture, columns below 1, a gap below 0, a result that is too large)
Picture in_rows(std::span<const Picture> pictures, Index columns, Index gap);

/// Writes a PNG with 8 bits per color; a gray PNG if all pixels are gray.
/// Throws ValueError (a name that does not end in .png, no pixels), IoError, Cancelled
void write_picture(const Context& ctx, const std::filesystem::path& path, const Picture& picture);

}  // namespace whorl
