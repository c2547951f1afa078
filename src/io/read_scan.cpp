#include "whorl/io/read_scan.hpp"

#include <fmt/format.h>

#include "io/file_format.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  if (io::detect_file_format(path) == io::FileFormat::matlab) {
    throw IoError(
        fmt::format("{}: a MATLAB file does not say enough to be a scan: turn it into ISMRMRD with whorl "
                    "convert",
                    path.string()));
  }
  return read_ismrmrd(ctx, path, options);
}

}  // namespace whorl
