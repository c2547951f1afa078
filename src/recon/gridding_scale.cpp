#include "recon/gridding_scale.hpp"

#include <algorithm>
#include <cmath>

#include "recon/field_of_view.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

Array<float> scale_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                           ArrayRef<const float> weights) {
  constexpr double cycles = 3;
  Array<float> low = to_host<const float>(ctx, weights);
  const auto k = trajectory.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const double kappa = k(j, axis) * static_cast<double>(image[image.rank() - 1 - static_cast<int>(axis)]);
      square += kappa * kappa;
    }
    low.data()[j] *= static_cast<float>(std::exp(-square / (cycles * cycles)));
  }
  return clone(ctx, low.ref());
}

double gridding_scale(const Context& ctx, const LinearOperator<float>& transform, const Trajectory& trajectory,
                      ArrayRef<const float> scale_weights, ArrayRef<const std::complex<float>> data,
                      ArrayRef<const std::complex<float>> images) {
  using Complex = std::complex<float>;
  Array<Complex> predicted(ctx, transform.range());
  if (has_round_field_of_view(trajectory)) {
    Array<Complex> inside = clone(ctx, images);
    mask_field_of_view(ctx, inside);
    transform.forward(ctx, inside, predicted);
  } else {
    transform.forward(ctx, images, predicted);
  }
  Array<Complex> weighted(ctx, transform.range());
  multiply_weights<float>(ctx, scale_weights, data, weighted);
  const double measured = dot<float>(ctx, data, weighted).real();
  const double crossed = dot<float>(ctx, predicted, weighted).real();
  multiply_weights<float>(ctx, scale_weights, predicted, weighted);
  const double fitted = dot<float>(ctx, predicted, weighted).real();
  if (!(measured > 0 && crossed > 0 && fitted > 0)) return 1;
  // Of noise alone the second quotient can be the larger one.
  return std::max(2 * measured / crossed - crossed / fitted, measured / crossed / 2);
}

}  // namespace whorl::recon
