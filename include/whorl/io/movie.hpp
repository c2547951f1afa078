// A series of magnitude images as a movie, for viewing: animated GIF or PNG.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

struct MovieOptions {
  double low = 0;                 ///< value of black
  std::optional<double> high{};   ///< value of white; none: the 99.5th percentile of all frames
  Index zoom = 1;                 ///< side of the square for each pixel; 0: comfortable_zoom (io/png.hpp)
  double frames_per_second = 10;  ///< a GIF shows each frame for a whole number of hundredths of a second
};

/// Writes frames as a movie that repeats for ever, 8 bits gray, one window for all of them; the images of a frame lie side
/// by side as in write_png. The path's extension decides: .gif, or .png (animated PNG; programs that know none show the
/// first frame).
///
/// Shapes  images [frame, ..., y, x], rank 3 or more
/// Throws  ShapeError (rank, no pixels), ValueError (an extension, a pixel that is not finite, high not above low, a zoom
///         below 0, frames per second not above 0 or above 100, a side of more than 65535 pixels), Unsupported (.gif in a
///         build without giflib), IoError, Cancelled
/// Source  GIF89a; "Animated PNG", in Portable Network Graphics (PNG) Specification, Third Edition, W3C (2025), 11.3.6
void write_movie(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
                 const MovieOptions& options = {});

/// Throws what write_movie would throw for any images of this shape, before a long computation, and for a folder that
/// cannot be written to.
void check_movie(const std::filesystem::path& path, const Shape& images, const MovieOptions& options = {});

/// .gif and .png.
std::vector<std::string> movie_endings();

/// The extensions, joined with commas.
std::string movie_extensions();

}  // namespace whorl
