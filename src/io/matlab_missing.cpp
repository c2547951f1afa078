// The build without matio.
#include "whorl/core/error.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Unsupported(
      path.string() +
      ": this build of whorl reads no MATLAB files: install matio (Debian: libmatio-dev) and build again");
}

}  // namespace

std::vector<MatlabVariable> list_matlab_variables(const std::filesystem::path& path) { refuse(path); }

std::vector<std::complex<double>> read_matlab_variable(const std::filesystem::path& path,
                                                       const MatlabVariable& /*variable*/) {
  refuse(path);
}

}  // namespace whorl
