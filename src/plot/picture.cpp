#include "whorl/plot/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/pictures/png_encode.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Picture blank_picture(Index width, Index height, Color color) {
  constexpr Index most = 65535;  // what other programs open, and a bound for the memory
  if (width < 1 || height < 1 || width > most || height > most) {
    throw ValueError(
        fmt::format("picture: {} x {} pixels, expected 1 to {} a side; show fewer tiles", width, height, most));
  }
  return {width, height, std::vector<Color>(static_cast<std::size_t>(width * height), color)};
}

Picture stacked(const Picture& top, const Picture& bottom, Index gap) {
  Picture both = blank_picture(std::max(top.width, bottom.width), top.height + gap + bottom.height, {0, 0, 0});
  const auto place = [&](const Picture& part, Index y0) {
    for (Index y = 0; y < part.height; ++y) {
      std::copy_n(&part.at(y, 0), part.width, &both.at(y0 + y, 0));
    }
  };
  place(top, 0);
  place(bottom, top.height + gap);
  return both;
}

Picture in_rows(std::span<const Picture> pictures, Index columns, Index gap) {
  if (pictures.empty() || columns < 1 || gap < 0) {
    throw ValueError(
        fmt::format("picture: {} pictures in {} columns, {} pixels apart; expected one or more, and no "
                    "gap below 0",
                    pictures.size(), columns, gap));
  }
  const auto count = static_cast<Index>(pictures.size());
  const Index used = std::min(columns, count);
  Index width = 0;
  for (const Picture& one : pictures) width = std::max(width, one.width);
  std::vector<Index> tops{0};
  for (Index first = 0; first < count; first += columns) {
    Index height = 0;
    for (const Picture& one : pictures.subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(std::min(columns, count - first)))) {
      height = std::max(height, one.height);
    }
    tops.push_back(tops.back() + height + gap);
  }
  Picture result = blank_picture(used * (width + gap) - gap, tops.back() - gap, {0, 0, 0});
  for (Index i = 0; i < count; ++i) {
    const Picture& one = pictures[static_cast<std::size_t>(i)];
    const Index top = tops[static_cast<std::size_t>(i / columns)];
    const Index left = i % columns * (width + gap);
    for (Index y = 0; y < one.height; ++y) std::copy_n(&one.at(y, 0), one.width, &result.at(top + y, left));
  }
  return result;
}

void write_picture(const Context& ctx, const std::filesystem::path& path, const Picture& picture) {
  if (path.extension() != ".png") {
    throw ValueError(fmt::format("'{}': a picture's name ends in .png", path.string()));
  }
  if (picture.pixels.empty()) throw ValueError("writing PNG: a picture without pixels");
  const bool gray = std::all_of(picture.pixels.begin(), picture.pixels.end(),
                                [](const Color& color) { return color[0] == color[1] && color[1] == color[2]; });
  std::vector<std::uint8_t> bytes;
  bytes.reserve(picture.pixels.size() * (gray ? 1 : 3));
  for (const Color& color : picture.pixels)
    bytes.insert(bytes.end(), color.begin(), gray ? color.begin() + 1 : color.end());
  io::write_png_pixels(ctx, path, picture.width, picture.height, gray ? Channels::gray : Channels::rgb, bytes);
}

}  // namespace whorl
