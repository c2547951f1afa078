#include "whorl/op/weighted_differences.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kernels/penalties/differences.hpp"
#include "op/encoding_shapes.hpp"

namespace whorl {

namespace {

Shape checked_image(const Shape& image) {
  if ((image.rank() != 2 && image.rank() != 3) || image.size() == 0) {
    throw ShapeError(fmt::format("weighted differences: an image of shape {}, expected [y, x] or [z, y, x] with pixels",
                                 to_string(image)));
  }
  return image;
}

template <class Real>
void check_weights(const Context& ctx, ArrayRef<const Real> weights, const Shape& expected) {
  if (weights.shape() != expected) {
    throw ShapeError(fmt::format("weighted differences: weights of shape {}, expected [axis, (z,) y, x] = {}",
                                 to_string(weights.shape()), to_string(expected)));
  }
  const bool on_host = weights.device().kind == DeviceKind::cpu;
  const Array<Real> copy = on_host ? Array<Real>() : to_host<const Real>(ctx, weights);
  const std::span<const Real> values = on_host ? weights.span() : copy.span();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0 && values[i] <= 1)) {
      throw ValueError(fmt::format("weighted differences: weight {} is {}, expected 0 to 1", i, values[i]));
    }
  }
}

template <class Real>
kernels::Differences<Real> differences_of(const Shape& image, const Real* weights) {
  const auto [z, y, x] = padded_to_3d(image);
  const auto scale = static_cast<Real>(1 / (2 * std::sqrt(image.rank())));
  return {{1, z, y, x}, {0, image.rank() == 3 ? scale : 0, scale, scale}, weights};
}

}  // namespace

template <class Real>
WeightedDifferences<Real>::WeightedDifferences(const Context& ctx, const Shape& image_shape, Array<Real> weights)
    : LinearOperator<Real>(checked_image(image_shape), image_shape.with_front(image_shape.rank()),
                           "WeightedDifferences", weights.size() > 0 ? std::optional(ctx.device()) : std::nullopt),
      weights_(std::move(weights)) {
  if (weights_.size() == 0) return;
  check_weights<Real>(ctx, weights_, this->range());
  if (!(weights_.device() == ctx.device())) {
    weights_ = clone(ctx, weights_.ref());
    ctx.synchronize();  // they are complete for other contexts too
  }
}

template <class Real>
void WeightedDifferences<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::differences_forward<Real>(ctx, differences_of(this->domain(), weights_.data()), x.data(), y.data());
}

template <class Real>
void WeightedDifferences<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::differences_adjoint<Real>(ctx, differences_of(this->domain(), weights_.data()), y.data(), x.data());
}

template <class Real>
void WeightedDifferences<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  kernels::differences_normal<Real>(ctx, differences_of(this->domain(), weights_.data()), x.data(), z.data());
}

template class WeightedDifferences<float>;
template class WeightedDifferences<double>;

}  // namespace whorl
