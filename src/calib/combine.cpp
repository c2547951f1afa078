#include "whorl/calib/combine.hpp"

#include <fmt/format.h>

#include "kernels/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

Shape image_shape(const Shape& images) {
  if (images.rank() < 2 || images[0] < 1) {
    throw ShapeError(fmt::format("coil combination: expected images [coil, ...], got shape {}", to_string(images)));
  }
  return images.tail();
}

}  // namespace

template <Precision Real>
Array<Real> root_sum_of_squares(const Context& ctx, ArrayRef<const std::complex<Real>> images) {
  Array<Real> image(ctx, image_shape(images.shape()));
  const OnDevice<std::complex<Real>> here(ctx, images);
  kernels::root_sum_of_squares<Real>(ctx, images.extent(0), image.size(), here.get().data(), image.data());
  return image;
}

template <Precision Real>
Array<std::complex<Real>> matched_combination(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                              ArrayRef<const std::complex<Real>> maps) {
  if (images.shape() != maps.shape()) {
    throw ShapeError(fmt::format("matched combination: images {} and maps {} differ in shape",
                                 to_string(images.shape()), to_string(maps.shape())));
  }
  Array<std::complex<Real>> image(ctx, image_shape(images.shape()));
  const OnDevice<std::complex<Real>> images_here(ctx, images);
  const OnDevice<std::complex<Real>> maps_here(ctx, maps);
  kernels::matched_combination<Real>(ctx, images.extent(0), image.size(), images_here.get().data(),
                                     maps_here.get().data(), image.data());
  return image;
}

template <Precision Real>
Array<std::complex<Real>> unit_maps(const Context& ctx, ArrayRef<const std::complex<Real>> maps) {
  const Shape image = image_shape(maps.shape());
  Array<std::complex<Real>> unit(ctx, maps.shape());
  const OnDevice<std::complex<Real>> here(ctx, maps);
  kernels::unit_maps<Real>(ctx, maps.extent(0), image.size(), here.get().data(), unit.data());
  return unit;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
  template Array<Real> root_sum_of_squares(const Context&, ArrayRef<const std::complex<Real>>);              \
  template Array<std::complex<Real>> matched_combination(const Context&, ArrayRef<const std::complex<Real>>, \
                                                         ArrayRef<const std::complex<Real>>);                \
  template Array<std::complex<Real>> unit_maps(const Context&, ArrayRef<const std::complex<Real>>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
