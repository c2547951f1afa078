#include "whorl/calib/combine.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

Shape image_shape(const Shape& images) {
  if (images.rank() < 2 || images[0] < 1) {
    throw ShapeError(fmt::format("coil combination: expected images [coil, ...], got shape {}", to_string(images)));
  }
  return images.tail();
}

}  // namespace

template <class Real>
Array<Real> root_sum_of_squares(const Context& ctx, ArrayRef<const std::complex<Real>> images) {
  Array<Real> image(ctx, image_shape(images.shape()));
  const Index coils = images.extent(0);
  const Index voxels = image.size();
  Real* out = image.data();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    Real sum = 0;
    for (Index coil = 0; coil < coils; ++coil) sum += std::norm(images.data()[coil * voxels + voxel]);
    out[voxel] = std::sqrt(sum);
  }
  return image;
}

template <class Real>
Array<std::complex<Real>> matched_combination(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                              ArrayRef<const std::complex<Real>> maps) {
  if (images.shape() != maps.shape()) {
    throw ShapeError(fmt::format("matched combination: images {} and maps {} differ in shape",
                                 to_string(images.shape()), to_string(maps.shape())));
  }
  Array<std::complex<Real>> image(ctx, image_shape(images.shape()));
  const Index coils = images.extent(0);
  const Index voxels = image.size();
  std::complex<Real>* out = image.data();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    std::complex<Real> sum = 0;
    Real power = 0;
    for (Index coil = 0; coil < coils; ++coil) {
      const std::complex<Real> s = maps.data()[coil * voxels + voxel];
      sum += std::conj(s) * images.data()[coil * voxels + voxel];
      power += std::norm(s);
    }
    out[voxel] = power > 0 ? sum / power : std::complex<Real>(0);
  }
  return image;
}

template Array<float> root_sum_of_squares(const Context&, ArrayRef<const std::complex<float>>);
template Array<double> root_sum_of_squares(const Context&, ArrayRef<const std::complex<double>>);
template Array<std::complex<float>> matched_combination(const Context&, ArrayRef<const std::complex<float>>,
                                                        ArrayRef<const std::complex<float>>);
template Array<std::complex<double>> matched_combination(const Context&, ArrayRef<const std::complex<double>>,
                                                         ArrayRef<const std::complex<double>>);

}  // namespace whorl
