#include "recon/gridding/gridding_scale.hpp"

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
  GriddingScale sums;
  sums.add(ctx, transform, weights, data, images);
  return sums.scale();
}

void GriddingScale::add(const Context& ctx, const LinearOperator<float>& transform, const GriddingWeights& weights,
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
  const auto add_products = [&](ArrayRef<const Complex> with, double& sum) {
    for (Index coil = 0; coil < with.extent(0); ++coil) {
      sum += dot<float>(ctx, with.slice(coil), weighted.slice(coil)).real();
    }
  };
  multiply_weights<float>(ctx, weights.scale, data, weighted);
  add_products(data, measured_);
  add_products(predicted, crossed_);
  multiply_weights<float>(ctx, weights.scale, predicted, weighted);
  add_products(predicted, fitted_);
}

double GriddingScale::scale() const {
  if (!(measured_ > 0 && crossed_ > 0 && fitted_ > 0)) return 1;
  // The second quotient can be the larger one where there is noise alone.
  return std::max(2 * measured_ / crossed_ - crossed_ / fitted_, measured_ / crossed_ / 2);
}

}  // namespace whorl::recon
