#include "whorl/io/reference_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {

namespace {

/// Without the axes of extent 1 in front, as formats of images write frames and coils.
Shape volume_shape(const Shape& shape, const std::string& source) {
  std::vector<Index> extents(shape.begin(), shape.end());
  while (extents.size() > 2 && extents.front() == 1) extents.erase(extents.begin());
  // [slice, 1, y, x] are slices, and so is [slice, 1, 1, y, x].
  while (extents.size() > 3 && extents[1] == 1) extents.erase(extents.begin() + 1);
  if (extents.size() == 2 || extents.size() == 3) return Shape(std::move(extents));
  throw ShapeError(
      fmt::format("reference '{}': shape {}, expected one volume [z, y, x] or slice [y, x]", source, to_string(shape)));
}

/// Its values are those of the file.
struct StoredImage {
  NamedArray array;
  Shape shape;
  Affine affine;
};

StoredImage read_volume(const Context& ctx, const std::filesystem::path& path) {
  NamedArray array = read_array(ctx, path.string());
  Shape shape = volume_shape(shape_of(array.values), path.string());
  Affine nowhere;
  nowhere.in_scanner = false;
  const Affine affine = array.affine.value_or(nowhere);
  return {std::move(array), std::move(shape), affine};
}

}  // namespace

ReferenceImage read_reference(const Context& ctx, const std::filesystem::path& path) {
  const StoredImage image = read_volume(ctx, path);
  ReferenceImage reference{path.string(), Array<float>(ctx.host(), image.shape), image.affine};
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
      image.array.values);
  return reference;
}

ReferenceImage read_map(const Context& ctx, const std::filesystem::path& path) {
  const StoredImage image = read_volume(ctx, path);
  Array<float> values = converted<float>(ctx.host(), image.array.values, path.string());
  values.reshape(image.shape);
  return {path.string(), std::move(values), image.affine};
}

}  // namespace whorl
