// Replaces matlab.cpp in builds without matio.
#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl {

std::vector<NamedArray> read_matlab(const Context& /*ctx*/, const std::filesystem::path& path) {
  throw Unsupported(fmt::format(
      "{}: this whorl was built without MATLAB support; install libmatio-dev and build it again", path.string()));
}

}  // namespace whorl
