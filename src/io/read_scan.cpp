#include "whorl/io/read_scan.hpp"

#include <fmt/format.h>

#include "io/format.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  const io::FileStart file = io::read_start(path);
  const io::Format* format = io::recognize(file);
  if (format != nullptr && format->read_scan == nullptr && format->name != "hdf5") {
    throw IoError(
        fmt::format("{}: a {} does not say enough to be a scan: expected ISMRMRD, .npz or .cfl of whorl, or the "
                    "reproducibility challenge's HDF5; others have to be converted to a scan first",
                    path.string(), format->description));
  }
  // For unknown files, ISMRMRD's reader has the best message.
  const bool known = format != nullptr && format->read_scan != nullptr;
  Scan scan = known ? format->read_scan(ctx, path, options) : read_ismrmrd(ctx, path, options);
  apply_image_center(scan, options.center);
  return scan;
}

}  // namespace whorl
