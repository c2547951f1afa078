#include "whorl/density/normalize.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/density.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <Precision Real>
void normalize_weights(ArrayRef<Real> weights) {
  const auto values = weights.span();
  double sum = 0;
  for (std::size_t sample = 0; sample < values.size(); ++sample) {
    const Real weight = values[sample];
    if (!std::isfinite(weight) || weight < 0) {
      throw ValueError(
          fmt::format("density weights: the weight of sample {} is {}; expected finite numbers >= 0", sample, weight));
    }
    sum += static_cast<double>(weight);
  }
  if (!(sum > 0)) throw ValueError(fmt::format("density weights: all {} weights are zero", values.size()));
  const double scale = static_cast<double>(values.size()) / sum;
  for (Real& weight : values) weight = static_cast<Real>(scale * static_cast<double>(weight));
}

template <Precision Real>
void normalize_weights(const Context& ctx, ArrayRef<Real> weights) {
  if (weights.device().kind == DeviceKind::cpu) return normalize_weights(weights);
  const double sum = kernels::sum_of_weights<Real>(ctx, weights.size(), weights.data());
  if (!(sum > 0)) {
    Array<Real> here = to_host(ctx, weights);
    normalize_weights(here);  // says what is wrong
  }
  kernels::scale<Real>(ctx, weights.size(), static_cast<double>(weights.size()) / sum, weights.data(), weights.data());
}

template void normalize_weights(ArrayRef<float>);
template void normalize_weights(ArrayRef<double>);
template void normalize_weights(const Context&, ArrayRef<float>);
template void normalize_weights(const Context&, ArrayRef<double>);

}  // namespace whorl
