// Replaces jpeg_read.cpp in builds without libjpeg.
#include <fmt/format.h>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

Source open_jpeg(PictureFile file) {
  throw Unsupported(
      fmt::format("'{}': this whorl was built without JPEG; install libjpeg-dev and build it again", file.name()));
}

}  // namespace whorl::io
