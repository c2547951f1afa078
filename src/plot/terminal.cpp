#include "whorl/plot/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// The mean color of the pixels from one edge to the next.
Picture averaged(const Picture& picture, Index width, Index height) {
  Picture small = blank_picture(width, height, {0, 0, 0});
  for (Index y = 0; y < height; ++y) {
    const Index top = y * picture.height / height;
    const Index bottom = std::max(top + 1, (y + 1) * picture.height / height);
    for (Index x = 0; x < width; ++x) {
      const Index left = x * picture.width / width;
      const Index right = std::max(left + 1, (x + 1) * picture.width / width);
      std::array<Index, 3> sum{};
      for (Index i = top; i < bottom; ++i) {
        for (Index j = left; j < right; ++j) {
          for (std::size_t c = 0; c < 3; ++c) sum[c] += picture.at(i, j)[c];
        }
      }
      const Index count = (bottom - top) * (right - left);
      for (std::size_t c = 0; c < 3; ++c) small.at(y, x)[c] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
    }
  }
  return small;
}

std::string letters(const Picture& picture, Index columns) {
  constexpr std::string_view ramp = " .:-=+*#%@";
  const Index lines = std::max<Index>(1, (picture.height * columns + picture.width) / (2 * picture.width));
  const Picture small = averaged(picture, columns, lines);
  std::string text;
  for (Index y = 0; y < lines; ++y) {
    for (Index x = 0; x < columns; ++x) {
      const Color& color = small.at(y, x);
      // Luma of ITU-R BT.709.
      const double luma = (0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]) / 255;
      text += ramp[static_cast<std::size_t>(std::lround(luma * static_cast<double>(ramp.size() - 1)))];
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

// Nearest of xterm's 256 colors: the 6 x 6 x 6 cube with its levels, and the 24 grays 8, 18, ... 238.
int palette_index(const Color& color) {
  constexpr std::array levels{0, 95, 135, 175, 215, 255};
  const auto nearest = [&](int value) {
    const auto distance = [&](int level) { return std::abs(level - value); };
    const auto* const found =
        std::min_element(levels.begin(), levels.end(), [&](int a, int b) { return distance(a) < distance(b); });
    return static_cast<int>(found - levels.begin());
  };
  if (color[0] == color[1] && color[1] == color[2]) {
    const int step = static_cast<int>(std::lround((color[0] - 8) / 10.0));
    if (step < 0) return 16;
    return step > 23 ? 231 : 232 + step;
  }
  return 16 + 36 * nearest(color[0]) + 6 * nearest(color[1]) + nearest(color[2]);
}

// `ground` is 38 for the character and 48 for its background.
std::string escape(int ground, const Color& color, TerminalColors colors) {
  if (colors == TerminalColors::palette) return fmt::format("\x1b[{};5;{}m", ground, palette_index(color));
  return fmt::format("\x1b[{};2;{};{};{}m", ground, color[0], color[1], color[2]);
}

std::string half_blocks(const Picture& picture, Index columns, TerminalColors colors) {
  const Index lines = std::max<Index>(1, (picture.height * columns + picture.width) / (2 * picture.width));
  const Picture small = averaged(picture, columns, 2 * lines);
  std::string text;
  for (Index line = 0; line < lines; ++line) {
    std::string above;
    std::string below;
    for (Index x = 0; x < columns; ++x) {
      // Colors of the character before need not be set again.
      std::string upper = escape(38, small.at(2 * line, x), colors);
      std::string lower = escape(48, small.at(2 * line + 1, x), colors);
      if (upper != above) text += upper;
      if (lower != below) text += lower;
      text += "\u2580";
      above = std::move(upper);
      below = std::move(lower);
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace

std::string terminal_text(const Picture& picture, Index columns, TerminalColors colors) {
  if (columns < 1) throw ValueError(fmt::format("terminal picture: {} columns, expected 1 or more", columns));
  if (picture.pixels.empty()) throw ValueError("terminal picture: a picture without pixels");
  const Index used = std::min(columns, picture.width);
  return colors == TerminalColors::none ? letters(picture, used) : half_blocks(picture, used, colors);
}

}  // namespace whorl
