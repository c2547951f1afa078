#include "studies/quantitative_mri/object.hpp"

#include <cmath>
#include <numbers>
#include <variant>

#include "whorl/math/fft.hpp"
#include "whorl/phantom/brain.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

using ObjectComplex = std::complex<double>;

constexpr double part_of_field_of_view = 0.85;
constexpr double echo_time_s = 0.03;

Phantom small_head() {
  Phantom head = brain_phantom(3);
  for (Region& region : head.regions) {
    auto& solid = std::get<Solid>(region.figure);
    for (double& length : solid.center) length *= part_of_field_of_view;
    for (double& length : solid.half_axes) length *= part_of_field_of_view;
  }
  return head;
}

// Position of every point of the Cartesian grid of k-space, [z, y, x] centered, columns x, y, z.
Array<double> cartesian_points(const Context& ctx, Index size) {
  Array<double> points(ctx, {size * size * size, 3});
  const auto k = points.view<2>();
  for (Index i = 0; i < points.extent(0); ++i) {
    Index rest = i;
    for (Index axis = 0; axis < 3; ++axis) {
      const Index centered = rest % size - size / 2;
      k(i, axis) = static_cast<double>(centered) / static_cast<double>(size);
      rest /= size;
    }
  }
  return points;
}

}  // namespace

Object::Object(double fwhm) : fwhm_(fwhm), phantom_(small_head()) {}

double Object::blur(double kx, double ky, double kz) const {
  const double radius = std::numbers::pi * fwhm_;
  return std::exp(-radius * radius * (kx * kx + ky * ky + kz * kz) / (4 * std::numbers::ln2));
}

Array<ObjectComplex> Object::samples(const Context& ctx, Index size, ArrayRef<const double> points) const {
  Array<ObjectComplex> values = phantom_samples(ctx, phantom_, {size, size, size}, points);
  const auto k = points.view<2>();
  for (Index j = 0; j < values.size(); ++j) values.data()[j] *= blur(k(j, 0), k(j, 1), k(j, 2));
  return values;
}

Array<ObjectComplex> Object::image(const Context& ctx, Index size) const {
  const Shape shape{size, size, size};
  Array<ObjectComplex> image(ctx, shape);
  if (fwhm_ == 0) {
    const Array<double> means = rasterize<double>(ctx, phantom_, {size, size, size}, 4);
    for (Index i = 0; i < image.size(); ++i) image.data()[i] = means.data()[i];
    return image;
  }
  image = samples(ctx, size, cartesian_points(ctx, size));
  image.reshape(shape);
  centered_fft<double>(ctx, FftDirection::inverse, image, 3);
  // Along an even axis the sample at k = -1/2 has no counterpart; what it leaves in the imaginary part is not the
  // object's.
  for (ObjectComplex& value : image.span()) value = value.real();
  return image;
}

Array<float> Object::reference(const Context& ctx, Index size) const {
  const Array<float> decay = r2_star_map(ctx, phantom_, {size, size, size});
  Array<ObjectComplex> image(ctx, decay.shape());
  for (Index i = 0; i < image.size(); ++i) {
    const double r2_star = decay.data()[i];
    image.data()[i] = r2_star > 0 ? std::exp(-echo_time_s * r2_star) : 0;
  }
  centered_fft<double>(ctx, FftDirection::forward, image, 3);
  const Array<double> points = cartesian_points(ctx, size);
  const auto k = points.view<2>();
  for (Index i = 0; i < image.size(); ++i) image.data()[i] *= blur(k(i, 0), k(i, 1), k(i, 2));
  centered_fft<double>(ctx, FftDirection::inverse, image, 3);
  Array<float> reference(ctx, decay.shape());
  for (Index i = 0; i < image.size(); ++i) reference.data()[i] = static_cast<float>(image.data()[i].real());
  return reference;
}

}  // namespace whorl::studies::quantitative_mri
