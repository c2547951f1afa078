// Replaces matlab.cpp in builds without matio.
#include <fmt/format.h>

#include "io/matlab/hdf5_variables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl {

std::vector<NamedArray> read_matlab(const Context& ctx, const std::filesystem::path& path) {
  if (io::is_matlab_hdf5(path)) return io::read_matlab_hdf5(ctx, path);
  throw Unsupported(fmt::format(
      "{}: this whorl was built without support for MATLAB's older files; install libmatio-dev and build it again",
      path.string()));
}

}  // namespace whorl
