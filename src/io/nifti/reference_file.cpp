#include "whorl/io/reference_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "whorl/core/error.hpp"
#include "whorl/io/nifti.hpp"

namespace whorl {

namespace {

NiftiImage read_volume(const Context& ctx, const std::filesystem::path& path) {
  NiftiImage image = read_nifti(ctx, path);
  const Shape& shape = shape_of(image.values);
  if (shape.rank() != 2 && shape.rank() != 3) {
    throw ShapeError(fmt::format("reference '{}': shape {}, expected one volume [z, y, x] or slice [y, x]",
                                 path.string(), to_string(shape)));
  }
  check_finite(image.values, path.string());
  return image;
}

}  // namespace

ReferenceImage read_reference(const Context& ctx, const std::filesystem::path& path) {
  const NiftiImage image = read_volume(ctx, path);
  ReferenceImage reference{path.string(), Array<float>(ctx.host(), shape_of(image.values)), image.affine};
  std::visit(
      [&]<class T>(const Array<T>& values) {
        std::transform(values.span().begin(), values.span().end(), reference.values.span().begin(), [](T value) {
          if constexpr (std::is_floating_point_v<T>) {
            return static_cast<float>(value);
          } else {
            return static_cast<float>(std::abs(value));
          }
        });
      },
      image.values);
  return reference;
}

ReferenceImage read_map(const Context& ctx, const std::filesystem::path& path) {
  const NiftiImage image = read_volume(ctx, path);
  return {path.string(), converted<float>(ctx.host(), image.values, path.string()), image.affine};
}

}  // namespace whorl
