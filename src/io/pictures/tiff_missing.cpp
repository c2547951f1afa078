// Replaces tiff_read.cpp and tiff_write.cpp in builds without libtiff.
#include <fmt/format.h>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw Unsupported(
      fmt::format("'{}': this whorl was built without TIFF; install libtiff-dev and build it again", name));
}

}  // namespace

Source open_tiff(PictureFile file) { refuse(file.name()); }

Sink create_tiff(const std::filesystem::path& path, const ImageFormat& /*format*/) { refuse(path.string()); }

}  // namespace whorl::io
