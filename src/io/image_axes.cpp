#include "whorl/io/image_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {

Shape without_leading_ones(const Shape& shape) {
  std::vector<Index> extents(shape.begin(), shape.end());
  while (extents.size() > 1 && extents.front() == 1) extents.erase(extents.begin());
  return Shape(extents);
}

Shape image_axes(const Shape& shape, const std::array<Index, 3>& matrix, const std::string& source) {
  const auto [nx, ny, nz] = matrix;
  std::vector<Index> leading(shape.begin(), shape.end());
  const auto take = [&](Index extent) {
    const bool fits = !leading.empty() && leading.back() == extent;
    if (fits) leading.pop_back();
    return fits;
  };
  const bool fits = take(nx) && take(ny) && (nz == 1 || take(nz));
  if (nz == 1) take(1);
  if (!fits || leading.size() > 2) {
    throw ShapeError(
        fmt::format("{}: an image of shape {} for a trajectory of matrix {}; expected [frame, coil, z, y, x], "
                    "leading axes of length 1 may be dropped",
                    source, to_string(shape), to_string(nz > 1 ? Shape{nz, ny, nx} : Shape{ny, nx})));
  }
  const Index coils = leading.empty() ? 1 : leading.back();
  const Index frames = leading.size() < 2 ? 1 : leading.front();
  return {frames, coils, nz, ny, nx};
}

Shape sample_axes(const Shape& shape, Index samples, const std::string& source) {
  const Shape used = without_leading_ones(shape);
  if (used.rank() > 3 || used.rank() < 1 || used[-1] != samples) {
    throw ShapeError(
        fmt::format("{}: samples of shape {} for a trajectory of {}; expected [frame, coil, sample], leading "
                    "axes of length 1 may be dropped",
                    source, to_string(shape), samples));
  }
  return {used.rank() > 2 ? used[0] : 1, used.rank() > 1 ? used[-2] : 1, samples};
}

std::optional<Affine> affine_of(std::span<const Geometry> frames, const std::array<Index, 3>& matrix) {
  const auto elsewhere = [&](const Geometry& frame) { return frame != frames.front(); };
  if (frames.empty() || std::any_of(frames.begin(), frames.end(), elsewhere)) return {};
  return voxel_affine(frames.front(), matrix);
}

}  // namespace whorl
