#include "report/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/pictures/montage.hpp"
#include "report/html.hpp"

namespace whorl::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_frames = 60;

// Bytes as base64 (RFC 4648, section 4).
std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8U | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? letters[word >> (18U - 6U * k) & 63U] : '=';
  }
  return text;
}

struct Label {
  Index x;
  Index y;
  std::string text;
};

// The tiles of one frame in one picture of numbers.
struct Mosaic {
  Index width = 0;
  Index height = 0;
  std::vector<float> values;
  std::vector<Label> labels;
};

struct MosaicTile {
  Array<float> image;  // [row, column]
  std::string text;
};

void place(const MosaicTile& tile, Index left, Index top, Mosaic& mosaic) {
  const auto in = tile.image.view<2>();
  for (Index y = 0; y < in.extent(0); ++y) {
    for (Index x = 0; x < in.extent(1); ++x) {
      mosaic.values[static_cast<std::size_t>((top + y) * mosaic.width + left + x)] = in(y, x);
    }
  }
  mosaic.labels.push_back({left, top, tile.text});
}

// Squares of pixels become their mean, and pixels that are longer one way than the other become square.
Array<float> fitted(const Context& ctx, ArrayRef<const float> image, double row_scale, double column_scale,
                    Index reduction) {
  const auto in = image.view<2>();
  const auto side = [&](Index pixels, double scale) {
    return std::max<Index>(1, std::llround(static_cast<double>(pixels) * scale / static_cast<double>(reduction)));
  };
  Array<float> out(ctx, {side(in.extent(0), row_scale), side(in.extent(1), column_scale)});
  const auto to = out.view<2>();
  for (Index y = 0; y < to.extent(0); ++y) {
    const Index top = y * in.extent(0) / to.extent(0);
    const Index below = std::max(top + 1, (y + 1) * in.extent(0) / to.extent(0));
    for (Index x = 0; x < to.extent(1); ++x) {
      const Index left = x * in.extent(1) / to.extent(1);
      const Index right = std::max(left + 1, (x + 1) * in.extent(1) / to.extent(1));
      double sum = 0;
      for (Index i = top; i < below; ++i) {
        for (Index j = left; j < right; ++j) sum += in(i, j);
      }
      to(y, x) = static_cast<float>(sum / static_cast<double>((below - top) * (right - left)));
    }
  }
  return out;
}

Mosaic in_columns(std::vector<MosaicTile> tiles, Index columns) {
  Mosaic mosaic;
  Index tile_width = 0;
  Index tile_height = 0;
  for (const MosaicTile& tile : tiles) {
    tile_height = std::max(tile_height, tile.image.extent(0));
    tile_width = std::max(tile_width, tile.image.extent(1));
  }
  const Index count = std::ssize(tiles);
  mosaic.width = columns * tile_width;
  mosaic.height = (count + columns - 1) / columns * tile_height;
  float least = std::numeric_limits<float>::max();  // of empty places too
  for (const MosaicTile& tile : tiles) {
    least = std::min(least, *std::min_element(tile.image.span().begin(), tile.image.span().end()));
  }
  mosaic.values.resize(static_cast<std::size_t>(mosaic.width * mosaic.height), least);
  for (Index i = 0; i < count; ++i) {
    place(tiles[static_cast<std::size_t>(i)], i % columns * tile_width, i / columns * tile_height, mosaic);
  }
  return mosaic;
}

Mosaic planes_mosaic(const Context& ctx, ArrayRef<const float> volume, const Voxel& at, const ViewOptions& options,
                     Index reduction) {
  const double smallest = *std::min_element(options.edges.begin(), options.edges.end());
  const auto scale = [&](std::size_t axis) { return smallest > 0 ? options.edges[axis] / smallest : 1.0; };
  const auto plane = [&](SliceAxis axis, const char* name, std::size_t across, std::size_t row, std::size_t column) {
    const std::array slice{at[across]};
    Array<float> image = cut_slices(ctx, volume, axis, slice);
    image.reshape({image.extent(2), image.extent(3)});
    return MosaicTile{fitted(ctx, image, scale(row), scale(column), reduction), fmt::format("{} {}", name, slice[0])};
  };
  std::vector<MosaicTile> tiles;
  tiles.push_back(plane(SliceAxis::axial, "axial z", 2, 1, 0));
  tiles.push_back(plane(SliceAxis::coronal, "coronal y", 1, 2, 0));
  tiles.push_back(plane(SliceAxis::sagittal, "sagittal x", 0, 2, 1));
  return in_columns(std::move(tiles), 3);
}

Mosaic tiles_mosaic(const Context& ctx, ArrayRef<const float> volume, Index reduction) {
  const io::Montage montage = io::lay_out("report", volume, overview_tiles);
  std::vector<MosaicTile> tiles;
  for (Index tile = 0; tile < montage.shown; ++tile) {
    tiles.push_back({fitted(ctx, montage.tiles[static_cast<std::size_t>(tile)], 1, 1, reduction),
                     montage.count > 1 ? fmt::format("z {}", io::image_of_tile(montage, tile)) : ""});
  }
  return in_columns(std::move(tiles), montage.columns);
}

// 16 bits per pixel, the low byte first, from the least to the largest value of all frames.
std::string packed(const Mosaic& mosaic, const std::array<double, 2>& range) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * mosaic.values.size());
  for (const float value : mosaic.values) {
    const double part = std::isfinite(value) ? (value - range[0]) / (range[1] - range[0]) : 0;
    const auto level = static_cast<std::uint32_t>(std::lround(65535 * std::clamp(part, 0.0, 1.0)));
    bytes.push_back(static_cast<std::uint8_t>(level & 255U));
    bytes.push_back(static_cast<std::uint8_t>(level >> 8U));
  }
  return base64(bytes);
}

std::array<double, 2> range_of(const std::vector<Mosaic>& frames) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{infinity, -infinity};
  for (const Mosaic& frame : frames) {
    for (const float value : frame.values) {
      if (!std::isfinite(value)) continue;
      range = {std::min<double>(range[0], value), std::max<double>(range[1], value)};
    }
  }
  if (!(range[0] <= range[1])) return {0, 1};
  return range[1] > range[0] ? range : std::array{range[0], range[0] + 1};
}

std::array<double, 2> window_of(const Context& ctx, const std::vector<Mosaic>& frames, const ViewOptions& options) {
  if (options.window[1] > options.window[0]) return options.window;
  const Index pixels = std::ssize(frames.front().values);
  Array<float> all(ctx, {std::ssize(frames), pixels});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::transform(frames[i].values.begin(), frames[i].values.end(), all.data() + static_cast<Index>(i) * pixels,
                   [](float value) { return std::isfinite(value) ? value : 0.0F; });
  }
  all.reshape({1, all.size()});
  io::Montage montage;
  montage.tiles.push_back(all.ref());
  const DisplayWindow window = options.is_map
                                   ? map_window(ctx, all)
                                   : DisplayWindow{std::min(0.0, io::quantile(montage, 0)), io::window_top(montage, 0)};
  return {window.low, window.high > window.low ? window.high : window.low + 1};
}

}  // namespace

std::string Views::add(const Context& ctx, ArrayRef<const float> volumes, const ViewOptions& options) {
  const Index count = volumes.extent(0);
  const bool is_volume = is_shown_as_planes(volumes.shape());
  const Index shown = std::min(count, most_frames);
  const Voxel at = options.through.value_or(middle_of_object(volumes));
  const auto mosaic_of = [&](Index frame, Index reduction) {
    const auto volume = volumes.slice(frame);
    return is_volume ? planes_mosaic(ctx, volume, at, options, reduction) : tiles_mosaic(ctx, volume, reduction);
  };
  Index reduction = 1;
  Mosaic first = mosaic_of(0, reduction);
  while (first.width * first.height * shown > options.most_pixels && std::min(first.width, first.height) > 16) {
    first = mosaic_of(0, ++reduction);
  }
  std::vector<Mosaic> frames;
  Json numbers = Json::array();
  for (Index i = 0; i < shown; ++i) {
    ctx.check_cancel("drawing the report");
    const Index frame = i * count / shown;
    frames.push_back(mosaic_of(frame, reduction));
    numbers.push_back(frame);
  }
  const std::array<double, 2> range = range_of(frames);
  const std::array<double, 2> window = window_of(ctx, frames, options);
  const Colormap colormap = options.colormap == Colormap::gray && options.is_map
                                ? (window[0] < 0 ? Colormap::blue_red : Colormap::blue_yellow)
                                : options.colormap;
  const std::string color(to_string(colormap));
  if (!colormaps_.contains(color)) {
    Json colors = Json::array();
    for (int level = 0; level < 256; ++level) {
      for (const std::uint8_t part : color_of(colormap, level / 255.0)) colors.push_back(part);
    }
    colormaps_[color] = std::move(colors);
  }
  Json view{{"width", first.width},   {"height", first.height},  {"colormap", color},      {"unit", options.unit},
            {"range", range},         {"window", window},        {"count", count},         {"numbers", numbers},
            {"along", options.along}, {"labels", Json::array()}, {"frames", Json::array()}};
  for (const Label& label : first.labels) view["labels"].push_back({label.x, label.y, label.text});
  for (const Mosaic& frame : frames) view["frames"].push_back(packed(frame, range));
  views_.push_back(std::move(view));

  std::string note;
  if (reduction > 1) note += fmt::format(", reduced {} times along each side", reduction);
  if (shown < count) note += fmt::format(", {} of {} {}s", shown, count, options.along);
  const std::string what =
      is_volume ? fmt::format("three planes of a volume of {} x {} x {} voxels", volumes.extent(3), volumes.extent(2),
                              volumes.extent(1))
                : fmt::format("{} x {} pixels, {} slices", volumes.extent(3), volumes.extent(2), volumes.extent(1));
  const std::string alternative =
      fmt::format("{}: {}, {} {}{}.", options.title, what, count, options.along, count == 1 ? "" : "s");
  return fmt::format(
      "<figure class=\"view\" data-view=\"{}\"><figcaption>{}{}</figcaption>"
      "<canvas role=\"img\" tabindex=\"0\" aria-label=\"{}\"></canvas>"
      "<noscript><p>The image needs JavaScript.</p></noscript></figure>\n",
      views_.size() - 1, escaped(options.title), escaped(note), escaped(alternative));
}

std::string Views::data() const {
  std::string text =
      Json{{"colormaps", colormaps_}, {"views", views_}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  // No text may end the element.
  std::string safe;
  for (const char letter : text) safe += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  return R"(<script type="application/json" id="data">)" + safe + "</script>\n";
}

}  // namespace whorl::report
