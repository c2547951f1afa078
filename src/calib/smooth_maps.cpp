#include "calib/smooth_maps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/matrix_products.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

constexpr double least_weight = 1e-5;

// The largest |k| in cycles per pixel at which the weight is at least `least_weight`.
double highest_frequency(const SmoothMapOptions& options) {
  return std::sqrt((std::pow(least_weight, -2 / options.order) - 1) / options.smoothness);
}

// Modes of an axis to each side; none has more modes than pixels.
Index modes_to_each_side(Index pixels, const SmoothMapOptions& options) {
  const double period = options.period * static_cast<double>(pixels);
  return std::min(static_cast<Index>(highest_frequency(options) * period), (pixels - 1) / 2);
}

// exp(sign 2 pi i k (n - floor(N/2)) / P): [row, column] with modes or pixels in rows.
template <class Real>
Array<std::complex<Real>> phases(const Context& ctx, Index modes, Index pixels, double period, bool modes_in_rows,
                                 double sign) {
  Array<std::complex<Real>> table(ctx.host(), modes_in_rows ? Shape{modes, pixels} : Shape{pixels, modes});
  for (Index m = 0; m < modes; ++m) {
    for (Index n = 0; n < pixels; ++n) {
      const Index k = m - modes / 2;
      const Index place = n - pixels / 2;
      const double turns = static_cast<double>(k) * static_cast<double>(place) / period;
      const double angle = sign * 2 * std::numbers::pi * (turns - std::round(turns));
      table.data()[modes_in_rows ? m * pixels + n : n * modes + m] = {static_cast<Real>(std::cos(angle)),
                                                                      static_cast<Real>(std::sin(angle))};
    }
  }
  return clone<std::complex<Real>>(ctx, table);
}

Index product_of(const Shape& shape, int first, int last) {
  Index product = 1;
  for (int axis = first; axis < last; ++axis) product *= shape[axis];
  return product;
}

}  // namespace

template <class Real>
SmoothMaps<Real>::SmoothMaps(const Context& ctx, const Shape& image, const SmoothMapOptions& options) : image_(image) {
  std::vector<Index> box;
  double scale = 1;
  for (int axis = 0; axis < image.rank(); ++axis) {
    const Index pixels = image[axis];
    const Index modes = 2 * modes_to_each_side(pixels, options) + 1;
    const double period = options.period * static_cast<double>(pixels);
    const bool last = axis == image.rank() - 1;
    axes_.push_back({modes, pixels, phases<Real>(ctx, modes, pixels, period, last, 1),
                     phases<Real>(ctx, modes, pixels, period, !last, -1)});
    box.push_back(modes);
    scale /= std::sqrt(period);
  }
  box_ = Shape(box);
  Array<Real> weights(ctx.host(), {box_.size()});
  for (Index i = 0; i < box_.size(); ++i) {
    double square = 0;
    Index rest = i;
    for (int axis = image.rank() - 1; axis >= 0; --axis) {
      const Index k = rest % box_[axis] - box_[axis] / 2;
      square += std::pow(static_cast<double>(k) / (options.period * static_cast<double>(image[axis])), 2);
      rest /= box_[axis];
    }
    weights.data()[i] = static_cast<Real>(scale * std::pow(1 + options.smoothness * square, -options.order / 2));
  }
  weights_ = clone<Real>(ctx, weights);
}

template <class Real>
void SmoothMaps<Real>::forward(const Context& ctx, ArrayRef<const Complex> coefficients,
                               ArrayRef<Complex> fields) const {
  const Index count = coefficients.extent(0);
  const int rank = image_.rank();
  Array<Complex> from(ctx, {count, box_.size()});
  multiply_weights<Real>(ctx, weights_, coefficients.reshape({count, box_.size()}), from);
  for (int axis = rank - 1; axis >= 0; --axis) {
    const Axis& along = axes_[static_cast<std::size_t>(axis)];
    // Axes before this one have modes, those behind it pixels.
    const Index before = count * product_of(box_, 0, axis);
    const Index behind = product_of(image_, axis + 1, rank);
    Array<Complex> made;
    if (axis > 0) made = Array<Complex>(ctx, {before, along.pixels * behind});
    Complex* to = axis > 0 ? made.data() : fields.data();
    if (axis == rank - 1) {
      kernels::matrix_products<Real>(ctx, {before, 1, along.modes, along.pixels, false, true}, from.data(),
                                     along.from_modes.data(), to);
    } else {
      kernels::matrix_products<Real>(ctx, {before, along.pixels, along.modes, behind, true, false},
                                     along.from_modes.data(), from.data(), to);
    }
    from = std::move(made);
  }
}

template <class Real>
void SmoothMaps<Real>::adjoint(const Context& ctx, ArrayRef<const Complex> fields,
                               ArrayRef<Complex> coefficients) const {
  const Index count = coefficients.extent(0);
  const int rank = image_.rank();
  Array<Complex> kept;
  const Complex* from = fields.data();
  for (int axis = 0; axis < rank; ++axis) {
    const Axis& along = axes_[static_cast<std::size_t>(axis)];
    const Index before = count * product_of(box_, 0, axis);
    const Index behind = product_of(image_, axis + 1, rank);
    Array<Complex> made(ctx, {before, along.modes * behind});
    if (axis == rank - 1) {
      kernels::matrix_products<Real>(ctx, {before, 1, along.pixels, along.modes, false, true}, from,
                                     along.to_modes.data(), made.data());
    } else {
      kernels::matrix_products<Real>(ctx, {before, along.modes, along.pixels, behind, true, false},
                                     along.to_modes.data(), from, made.data());
    }
    kept = std::move(made);
    from = kept.data();
  }
  kept.reshape({count, box_.size()});
  multiply_weights<Real>(ctx, weights_, kept, coefficients.reshape({count, box_.size()}));
}

template <class Real>
Index SmoothMaps<Real>::scratch_bytes(Index count) const {
  // Two neighboring stages: the first axes are modes, the others pixels.
  const int rank = image_.rank();
  const auto stage = [&](int axis) { return product_of(box_, 0, axis) * product_of(image_, axis, rank); };
  Index most = 0;
  for (int axis = 1; axis < rank; ++axis) most = std::max(most, stage(axis) + stage(axis + 1));
  return count * most * static_cast<Index>(sizeof(Complex));
}

template class SmoothMaps<float>;
template class SmoothMaps<double>;

}  // namespace whorl
