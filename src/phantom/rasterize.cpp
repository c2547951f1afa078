#include <fmt/format.h>

#include <cmath>

#include "phantom/checks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/ellipsoid.hpp"

namespace whorl {
namespace {

// The sum of the ellipsoids at a place in halves of the field of view.
double intensity_at(std::span<const Ellipsoid> ellipsoids, const std::array<double, 3>& place, int dim) {
  double sum = 0;
  for (const Ellipsoid& ellipsoid : ellipsoids) {
    const double x = place[0] - ellipsoid.center[0];
    const double y = place[1] - ellipsoid.center[1];
    const double cosine = std::cos(ellipsoid.angle);
    const double sine = std::sin(ellipsoid.angle);
    double square = std::pow((cosine * x + sine * y) / ellipsoid.semi_axes[0], 2) +
                    std::pow((cosine * y - sine * x) / ellipsoid.semi_axes[1], 2);
    if (dim == 3) square += std::pow((place[2] - ellipsoid.center[2]) / ellipsoid.semi_axes[2], 2);
    if (square <= 1) sum += ellipsoid.intensity;
  }
  return sum;
}

}  // namespace

template <class Real>
Array<Real> rasterize(const Context& ctx, std::span<const Ellipsoid> ellipsoids, const std::array<Index, 3>& matrix,
                      int subsamples) {
  const int dim = detail::matrix_dim(matrix);
  detail::check_ellipsoids(ellipsoids);
  if (subsamples < 1) {
    throw ValueError(fmt::format("rasterize: expected at least 1 subsample along each axis, got {}", subsamples));
  }
  Array<Real> image(ctx, detail::matrix_shape(matrix));
  Real* out = image.data();
  const int points = dim == 3 ? subsamples * subsamples * subsamples : subsamples * subsamples;
  // Place of one subsample along an axis.
  const auto place = [&](std::size_t axis, Index voxel, int subsample) {
    const double offset = (subsample + 0.5) / subsamples - 0.5;
    const auto extent = static_cast<double>(matrix[axis]);
    const Index center = matrix[axis] / 2;
    return (static_cast<double>(voxel - center) + offset) / (extent / 2);
  };
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic)
  for (Index row = 0; row < matrix[1] * matrix[2]; ++row) {
    for (Index x = 0; x < matrix[0]; ++x) {
      double sum = 0;
      for (int point = 0; point < points; ++point) {
        const int along_x = point % subsamples;
        const int along_y = point / subsamples % subsamples;
        const int along_z = point / subsamples / subsamples;
        const double z = dim == 3 ? place(2, row / matrix[1], along_z) : 0;
        sum += intensity_at(ellipsoids, {place(0, x, along_x), place(1, row % matrix[1], along_y), z}, dim);
      }
      out[row * matrix[0] + x] = static_cast<Real>(sum / points);
    }
  }
  return image;
}

template Array<float> rasterize(const Context&, std::span<const Ellipsoid>, const std::array<Index, 3>&, int);
template Array<double> rasterize(const Context&, std::span<const Ellipsoid>, const std::array<Index, 3>&, int);

}  // namespace whorl
