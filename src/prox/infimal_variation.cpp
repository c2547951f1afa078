#include "whorl/prox/infimal_variation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/penalties/differences.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

constexpr const char* ictv_name = "infimal convolution of total variation";

double checked_time(const Shape& shape, const InfimalVariationOptions& options) {
  const auto extent = series_extent(shape, ictv_name);
  if (shape.rank() != 4 || extent[0] < 2 || extent[2] * extent[3] < 2) {
    throw ValueError(fmt::format("{}: images of shape {}, expected [frame, z, y, x] with two frames or more", ictv_name,
                                 to_string(shape)));
  }
  if (!(options.time > 0) || !(options.mix >= 0 && options.mix <= 1)) {
    throw ValueError(
        fmt::format("{}: time {}, mix {}; expected more than 0, and 0 to 1", ictv_name, options.time, options.mix));
  }
  return options.time;
}

template <class Real>
kernels::Differences<Real> kernel_of(const Shape& shape, const std::array<Real, 4>& scale, DifferenceAxes cyclic) {
  kernels::Differences<Real> kernel;
  kernel.extent = series_extent(shape, ictv_name);
  kernel.scale = scale;
  kernel.cyclic = cyclic.flags();
  return kernel;
}

}  // namespace

// The eigenvalues of the differences along an axis are at most 4 times the square of their factor.
template <class Real>
typename InfimalVariation<Real>::Gradient InfimalVariation<Real>::gradient_of(const Shape& shape, double space,
                                                                              double time) {
  const auto extent = series_extent(shape, ictv_name);
  std::array<double, 4> factors{time, space, space, space};
  Gradient gradient;
  double squares = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (extent[axis] < 2) factors[axis] = 0;
    if (factors[axis] > 0) ++gradient.axes;
    squares += factors[axis] * factors[axis];
  }
  gradient.norm = 2 * std::sqrt(squares);
  for (std::size_t axis = 0; axis < 4; ++axis) gradient.scale[axis] = static_cast<Real>(factors[axis] / gradient.norm);
  return gradient;
}

template <class Real>
InfimalVariation<Real>::InfimalVariation(const Shape& shape, double weight, const InfimalVariationOptions& options)
    : InfimalVariation(shape, weight, checked_time(shape, options), gradient_of(shape, 1, options.mix),
                       gradient_of(shape, options.mix, 1), options.cyclic) {}

template <class Real>
InfimalVariation<Real>::InfimalVariation(const Shape& shape, double weight, double time, const Gradient& in_space,
                                         const Gradient& in_time, DifferenceAxes cyclic)
    : InfimalFunction<Real>(ictv_name, shape, 1,
                            {{in_space.axes, weight * in_space.norm}, {in_time.axes, weight * time * in_time.norm}},
                            InfimalFunction<Real>::norm_of_two_parts),
      in_space_(in_space),
      in_time_(in_time),
      cyclic_(cyclic) {}

template <class Real>
void InfimalVariation<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                                        ArrayRef<Complex> y) const {
  Array<Complex> rest = clone<Complex>(ctx, x);
  axpby<Real>(ctx, -1, w.reshape(x.shape()), 1, rest);
  kernels::differences_forward<Real>(ctx, kernel_of(x.shape(), in_space_.scale, cyclic_), rest.data(), y.data());
  kernels::differences_forward<Real>(ctx, kernel_of(x.shape(), in_time_.scale, cyclic_), w.data(),
                                     y.data() + in_space_.axes * x.size());
}

template <class Real>
void InfimalVariation<Real>::do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y,
                                            ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const {
  const ArrayRef<Complex> of_w = sum_w.reshape(sum_x.shape());
  Array<Complex> back(ctx, sum_x.shape());
  kernels::differences_adjoint<Real>(ctx, kernel_of(sum_x.shape(), in_space_.scale, cyclic_), y.data(), back.data());
  axpby<Real>(ctx, factor, back, 1, sum_x);
  axpby<Real>(ctx, -factor, back, 1, of_w);
  kernels::differences_adjoint<Real>(ctx, kernel_of(sum_x.shape(), in_time_.scale, cyclic_),
                                     y.data() + in_space_.axes * sum_x.size(), back.data());
  axpby<Real>(ctx, factor, back, 1, of_w);
}

template class InfimalVariation<float>;
template class InfimalVariation<double>;

}  // namespace whorl
