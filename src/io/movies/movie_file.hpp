// Files of gray pictures that follow one another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "whorl/core/shape.hpp"

namespace whorl::io {

struct MovieFormat {
  Index width = 0;
  Index height = 0;
  Index frames = 0;
  int milliseconds = 100;  ///< for which a frame is shown
};

/// A movie while it is written. It appears under its name with commit().
class MovieFile {
 public:
  virtual ~MovieFile() = default;
  /// The pixels of the next frame, row by row from the top.
  virtual void write(std::span<const std::uint8_t> pixels) = 0;
  virtual void commit() = 0;
};

std::unique_ptr<MovieFile> create_animated_png(const std::filesystem::path& path, const MovieFormat& format);
/// Throws Unsupported in a build without giflib.
std::unique_ptr<MovieFile> create_gif(const std::filesystem::path& path, const MovieFormat& format);

}  // namespace whorl::io
