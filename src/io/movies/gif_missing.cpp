// Replaces gif_write.cpp in builds without giflib.
#include <fmt/format.h>

#include "io/movies/movie_file.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

std::unique_ptr<MovieFile> create_gif(const std::filesystem::path& path, const MovieFormat& /*format*/) {
  throw Unsupported(fmt::format(
      "'{}': this whorl was built without GIF; write a .png, which is animated too, or install libgif-dev and build it "
      "again",
      path.string()));
}

}  // namespace whorl::io
