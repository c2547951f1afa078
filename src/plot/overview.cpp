#include "whorl/plot/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/pictures/montage.hpp"
#include "plot/dark_canvas.hpp"
#include "plot/window.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/png.hpp"
#include "whorl/plot/colorbar.hpp"

namespace whorl {

namespace {

constexpr Index most_plane_frames = 5;
constexpr double tile_font_size = 13;
constexpr Index tile_title_height = 18;

// Texts for one tile, the longest first: the first that fits is shown.
using TileTexts = std::vector<std::string>;

struct Tile {
  ArrayRef<const float> image;  // [row, column]
  TileTexts texts;
  double row_scale = 1;  // pixels of the picture per pixel of the image
  double column_scale = 1;
};

Picture resized(const Picture& picture, Index width, Index height) {
  Picture result = blank_picture(width, height, {0, 0, 0});
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      result.at(y, x) = picture.at(y * picture.height / height, x * picture.width / width);
    }
  }
  return result;
}

// A line of text above the picture; an empty one where none fits.
Picture with_title(const Picture& picture, const TileTexts& texts) {
  detail::DarkCanvas line(picture.width, tile_title_height, tile_font_size);
  const auto fits = [&](const std::string& text) {
    return line.text_width(text) + 4 <= static_cast<double>(picture.width);
  };
  const auto text = std::find_if(texts.begin(), texts.end(), fits);
  if (text != texts.end()) {
    detail::cairo().move_to(line.drawing(), 3, tile_font_size);
    detail::cairo().show_text(line.drawing(), text->c_str());
  }
  Picture top = blank_picture(picture.width, tile_title_height, {0, 0, 0});
  for (Index y = 0; y < tile_title_height; ++y) {
    for (Index x = 0; x < picture.width; ++x) top.at(y, x) = line.at(y, x);
  }
  return stacked(top, picture, 0);
}

DisplayWindow window_for(const Context& ctx, const std::vector<Tile>& tiles, const OverviewOptions& options) {
  if (options.window) return *options.window;
  io::Montage shown;
  for (const Tile& tile : tiles) shown.tiles.push_back(tile.image);
  io::check_finite("picture", shown);
  return detail::window_of_tiles(ctx, shown);
}

Overview picture_of_tiles(const Context& ctx, const std::vector<Tile>& tiles, Index columns,
                          const OverviewOptions& options, std::string shown) {
  const DisplayWindow window = window_for(ctx, tiles, options);
  Index narrowest = tiles.front().image.extent(1);
  const auto side = [](Index pixels, double scale) {
    return std::max<Index>(1, std::llround(static_cast<double>(pixels) * scale));
  };
  std::vector<Picture> pictures;
  for (const Tile& tile : tiles) {
    ctx.check_cancel("drawing images");
    const Picture plain = montage_picture(ctx, tile.image, {.colormap = options.colormap, .window = window});
    pictures.push_back(resized(plain, side(plain.width, tile.column_scale), side(plain.height, tile.row_scale)));
  }
  Index width = 0;
  Index height = 0;
  for (const Picture& one : pictures) {
    width = std::max(width, one.width);
    height = std::max(height, one.height);
  }
  const auto rows = (std::ssize(pictures) + columns - 1) / columns;
  const Index zoom = options.zoom > 0 ? options.zoom : comfortable_zoom(width * columns, height * rows);
  for (Picture& one : pictures) {
    if (zoom > 1) one = resized(one, one.width * zoom, one.height * zoom);
    narrowest = std::min(one.width, narrowest * zoom);
  }
  constexpr Index least_width = 24;  // holds a number of two digits
  const bool has_text = options.has_text && tiles.size() > 1 && narrowest >= least_width && detail::can_draw_text();
  for (std::size_t i = 0; has_text && i < pictures.size(); ++i) pictures[i] = with_title(pictures[i], tiles[i].texts);
  return {in_rows(pictures, columns, 0), window, std::move(shown)};
}

Index number_of_frame(const OverviewOptions& options, Index frame) {
  return options.frame_numbers.empty() ? frame : options.frame_numbers[static_cast<std::size_t>(frame)];
}

const char* letter_of(SliceAxis axis) {
  return axis == SliceAxis::axial ? "z" : axis == SliceAxis::coronal ? "y" : "x";
}

void check_volumes(ArrayRef<const float> volumes) {
  if (volumes.rank() == 4 && volumes.size() > 0) return;
  throw ShapeError(fmt::format("picture: expected volumes [frame, z, y, x] with at least one pixel, got {}",
                               to_string(volumes.shape())));
}

TileTexts slice_texts(SliceAxis axis, Index slice, Index depth, Index frame, Index frames) {
  const std::string place = fmt::format("{} {}", letter_of(axis), slice);
  const std::string time = fmt::format("frame {}", frame);
  if (depth == 1) return {time, fmt::format("{}", frame)};
  if (frames == 1) return {place, fmt::format("{}", slice)};
  return {fmt::format("{}, {}", time, place), fmt::format("{}/{}", frame, slice)};
}

}  // namespace

std::array<double, 3> voxel_edges(const NamedArray& array) {
  std::array<double, 3> edges{1, 1, 1};
  for (std::size_t axis = 0; array.affine && axis < 3; ++axis) {
    const auto& rows = array.affine->matrix;
    edges[axis] = std::hypot(rows[0][axis], rows[1][axis], rows[2][axis]);
  }
  return edges;
}

bool is_shown_as_planes(const Shape& volumes) { return volumes.rank() == 4 && volumes[1] > overview_tiles; }

Voxel middle_of_object(ArrayRef<const float> volumes) {
  check_volumes(volumes);
  const auto in = volumes.view<4>();
  std::array<double, 3> moment{};
  double sum = 0;
  for (Index frame = 0; frame < in.extent(0); ++frame) {
    for (Index z = 0; z < in.extent(1); ++z) {
      for (Index y = 0; y < in.extent(2); ++y) {
        for (Index x = 0; x < in.extent(3); ++x) {
          const double power = static_cast<double>(in(frame, z, y, x)) * in(frame, z, y, x);
          sum += power;
          moment[0] += power * static_cast<double>(x);
          moment[1] += power * static_cast<double>(y);
          moment[2] += power * static_cast<double>(z);
        }
      }
    }
  }
  Voxel middle{in.extent(3) / 2, in.extent(2) / 2, in.extent(1) / 2};
  if (!(sum > 0) || !std::isfinite(sum)) return middle;
  for (std::size_t axis = 0; axis < 3; ++axis) middle[axis] = std::llround(moment[axis] / sum);
  return middle;
}

Overview planes_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options,
                        std::optional<Voxel> through) {
  check_volumes(volumes);
  const Voxel at = through.value_or(middle_of_object(volumes));
  const double smallest = *std::min_element(options.edges.begin(), options.edges.end());
  const auto scale = [&](std::size_t axis) { return smallest > 0 ? options.edges[axis] / smallest : 1; };
  const Index frames = volumes.extent(0);
  const Index shown = std::min(frames, most_plane_frames);

  struct Plane {
    SliceAxis axis;
    const char* name;
    std::size_t across, row, column;  // axes: x 0, y 1, z 2
  };
  constexpr std::array planes{Plane{SliceAxis::axial, "axial", 2, 1, 0}, Plane{SliceAxis::coronal, "coronal", 1, 2, 0},
                              Plane{SliceAxis::sagittal, "sagittal", 0, 2, 1}};
  std::vector<Array<float>> images;
  std::vector<Tile> tiles;
  for (Index row = 0; row < shown; ++row) {
    const Index frame = (2 * row + 1) * frames / (2 * shown);
    for (const Plane& plane : planes) {
      const std::array slice{at[plane.across]};
      images.push_back(cut_slices(ctx, volumes.slice(frame), plane.axis, slice));
      images.back().reshape({images.back().extent(2), images.back().extent(3)});
      const std::string place = fmt::format("{} {}", letter_of(plane.axis), slice[0]);
      const std::string time = frames > 1 ? fmt::format("frame {}, ", number_of_frame(options, frame)) : "";
      tiles.push_back({{},
                       {fmt::format("{}{}, {}", time, plane.name, place), time + place, place},
                       scale(plane.row),
                       scale(plane.column)});
    }
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i].image = images[i].ref();
  std::string what = fmt::format("planes through x {}, y {}, z {}", at[0], at[1], at[2]);
  if (frames > 1) what += fmt::format(" of {} of {} frames", shown, frames);
  return picture_of_tiles(ctx, tiles, 3, options, std::move(what));
}

Overview tiles_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options) {
  check_volumes(volumes);
  const Array<float> images = cut_slices(ctx, volumes, options.axis, options.slices);
  const io::Montage montage = io::lay_out("picture", images, options.tiles);
  const Index depth = images.extent(1);
  std::vector<Tile> tiles;
  for (Index tile = 0; tile < montage.shown; ++tile) {
    const Index image = io::image_of_tile(montage, tile);
    const Index slice = image % depth;
    const Index number = options.slices.empty() ? slice : options.slices[static_cast<std::size_t>(slice)];
    tiles.push_back(
        {montage.tiles[static_cast<std::size_t>(tile)],
         slice_texts(options.axis, number, depth, number_of_frame(options, image / depth), images.extent(0))});
  }
  return picture_of_tiles(ctx, tiles, montage.columns, options,
                          fmt::format("{} of {} images", montage.shown, montage.count));
}

Overview overview_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options) {
  const bool asked = !options.slices.empty() || options.axis != SliceAxis::axial || options.tiles != overview_tiles;
  return is_shown_as_planes(volumes.shape()) && !asked ? planes_picture(ctx, volumes, options)
                                                       : tiles_picture(ctx, volumes, options);
}

Picture map_picture(const Context& ctx, ArrayRef<const float> volumes, OverviewOptions options,
                    const std::string& label) {
  options.colormap = Colormap::blue_yellow;
  if (!options.window) options.window = map_window(ctx, volumes);
  Overview overview = overview_picture(ctx, volumes, options);
  if (!detail::can_draw_text()) return std::move(overview.picture);
  return with_colorbar(overview.picture, options.colormap, overview.window, label);
}

void write_overview(const Context& ctx, const std::filesystem::path& path, ArrayRef<const std::complex<float>> volumes,
                    const OverviewOptions& options, const std::string& label) {
  Array<float> magnitudes(ctx, volumes.shape());
  std::transform(volumes.span().begin(), volumes.span().end(), magnitudes.span().begin(),
                 [](std::complex<float> value) { return std::abs(value); });
  write_picture(ctx, path,
                label.empty() ? overview_picture(ctx, magnitudes, options).picture
                              : map_picture(ctx, magnitudes, options, label));
}

}  // namespace whorl
