#include "job/inputs.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/io/image_axes.hpp"

namespace whorl::job {

std::shared_ptr<const ReferenceImage> image_from(const Context& ctx, const FileOr<ReferenceImage>& source,
                                                 ImageReader read) {
  if (source.value != nullptr || !source.given()) return source.value;
  return std::make_shared<const ReferenceImage>(read(ctx, source.file));
}

Array<std::complex<float>> maps_from(const Context& ctx, const FileOr<Array<std::complex<float>>>& source,
                                     const Scan& scan) {
  const Shape expected{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  Array<std::complex<float>> maps = clone(ctx, array_from(ctx, source)->ref());
  if (image_axes(maps.shape(), scan.matrix, source.name()) != expected.with_front(1)) {
    throw ShapeError(fmt::format("'{}': coil maps of shape {}, expected [coil, z, y, x] = {}", source.name(),
                                 to_string(maps.shape()), to_string(expected)));
  }
  maps.reshape(expected);
  return maps;
}

}  // namespace whorl::job
