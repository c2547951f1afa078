#include "recon/gridding_scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "recon/field_of_view.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

GriddingWeights gridding_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                                 Array<float> density) {
  constexpr double cycles = 3;
  Array<float> low = to_host(ctx, density.ref());
  const auto k = trajectory.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const double kappa = k(j, axis) * static_cast<double>(image[image.rank() - 1 - static_cast<int>(axis)]);
      square += kappa * kappa;
    }
    low.data()[j] *= static_cast<float>(std::exp(-square / (cycles * cycles)));
  }
  if (!(ctx.device() == low.device())) low = clone(ctx, low.ref());
  return {std::move(density), std::move(low), has_round_field_of_view(trajectory)};
}

double gridding_scale(const Context& ctx, const LinearOperator<float>& transform, const GriddingWeights& weights,
                      ArrayRef<const std::complex<float>> data, ArrayRef<const std::complex<float>> images) {
  using Complex = std::complex<float>;
  Array<Complex> predicted(ctx, transform.range());
  if (weights.round) {
    Array<Complex> inside = clone(ctx, images);
    mask_field_of_view(ctx, inside);
    transform.forward(ctx, inside, predicted);
  } else {
    transform.forward(ctx, images, predicted);
  }
  Array<Complex> weighted(ctx, transform.range());
  multiply_weights<float>(ctx, weights.scale, data, weighted);
  const double measured = dot<float>(ctx, data, weighted).real();
  const double crossed = dot<float>(ctx, predicted, weighted).real();
  multiply_weights<float>(ctx, weights.scale, predicted, weighted);
  const double fitted = dot<float>(ctx, predicted, weighted).real();
  if (!(measured > 0 && crossed > 0 && fitted > 0)) return 1;
  // Of noise alone the second quotient can be the larger one.
  return std::max(2 * measured / crossed - crossed / fitted, measured / crossed / 2);
}

}  // namespace whorl::recon
