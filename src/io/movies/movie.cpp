#include "whorl/io/movie.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "io/movies/movie_file.hpp"
#include "io/pictures/enlarge.hpp"
#include "io/pictures/montage.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/png.hpp"

namespace whorl {

namespace {

constexpr const char* operation_movie = "writing a movie";

struct MovieKind {
  std::string_view extension;
  std::unique_ptr<io::MovieFile> (*create)(const std::filesystem::path& path, const io::MovieFormat& format);
};
constexpr std::array movie_kinds{MovieKind{".gif", &io::create_gif}, MovieKind{".png", &io::create_animated_png}};

std::unique_ptr<io::MovieFile> create_movie(const std::filesystem::path& path, const io::MovieFormat& format) {
  const std::string name = path.filename().string();
  for (const MovieKind& kind : movie_kinds) {
    if (name.size() > kind.extension.size() && name.ends_with(kind.extension)) return kind.create(path, format);
  }
  throw ValueError(fmt::format("'{}': the extension names the format of the movie; known are {}", path.string(),
                               movie_extensions()));
}

// How the images of a frame lie, once the options and the shape are right.
io::MontageLayout checked_layout(const Shape& images, const MovieOptions& options) {
  if (images.rank() < 3 || images.size() == 0) {
    throw ShapeError(fmt::format("{}: expected images [frame, ..., y, x] with at least one pixel, got {}",
                                 operation_movie, to_string(images)));
  }
  if (!(options.frames_per_second > 0) || options.frames_per_second > 100) {
    throw ValueError(fmt::format("{}: {:g} frames per second, expected more than 0 and at most 100", operation_movie,
                                 options.frames_per_second));
  }
  if (options.high && !(*options.high > options.low && std::isfinite(*options.high) && std::isfinite(options.low))) {
    throw ValueError(fmt::format("{}: the window's top {} must be above its bottom {}", operation_movie, *options.high,
                                 options.low));
  }
  return io::montage_layout(operation_movie, images.tail(), {});
}

io::MovieFormat format_of(const io::MontageLayout& layout, Index frames, const MovieOptions& options) {
  const Index zoom = io::checked_zoom(operation_movie, layout, options.zoom);
  // The longest that both formats hold is a minute.
  const double shown = std::min(1000 / options.frames_per_second, 60000.0);
  return {zoom * layout.width, zoom * layout.height, frames, static_cast<int>(std::lround(shown))};
}

}  // namespace

std::vector<std::string> movie_endings() {
  std::vector<std::string> endings;
  for (const MovieKind& kind : movie_kinds) endings.emplace_back(kind.extension);
  return endings;
}

std::string movie_extensions() { return fmt::format("{}", fmt::join(movie_endings(), ", ")); }

void check_movie(const std::filesystem::path& path, const Shape& images, const MovieOptions& options) {
  const io::MontageLayout layout = checked_layout(images, options);
  create_movie(path, format_of(layout, images[0], options));  // not committed: it vanishes
}

void write_movie(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
                 const MovieOptions& options) {
  const Index frames = images.extent(0);
  const io::MovieFormat format = format_of(checked_layout(images.shape(), options), frames, options);
  double high = options.high.value_or(0);
  if (!options.high) {
    io::Montage all;  // the tiles of all frames, for their quantiles
    for (Index frame = 0; frame < frames; ++frame) {
      const io::Montage one = io::lay_out(operation_movie, images.slice(frame), {});
      io::check_finite(operation_movie, one);
      all.tiles.insert(all.tiles.end(), one.tiles.begin(), one.tiles.end());
    }
    high = io::window_top(all, options.low);
  }
  const std::unique_ptr<io::MovieFile> file = create_movie(path, format);
  ProgressStage stage(ctx, "writing " + path.filename().string(), frames);
  for (Index frame = 0; frame < frames; ++frame) {
    ctx.check_cancel(operation_movie);
    const io::Montage montage = io::lay_out(operation_movie, images.slice(frame), {});
    io::check_finite(operation_movie, montage);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(montage.width * montage.height), 0);
    io::for_each_pixel(montage, options.low, high, [&](std::size_t pixel, double part) {
      pixels[pixel] = static_cast<std::uint8_t>(std::lround(255 * part));
    });
    file->write(io::enlarged(pixels, montage.width, montage.height, format.width / montage.width));
    stage.advance();
  }
  file->commit();
}

}  // namespace whorl
