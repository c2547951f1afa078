#include "whorl/prox/total_variation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/penalties/differences.hpp"
#include "kernels/penalties/shrink.hpp"
#include "op/difference_kernels.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr const char* tv_name = "total variation";

void check_positive(const char* what, double value) {
  if (!(value > 0)) throw ValueError(fmt::format("total variation: a {} of {}, expected more than 0", what, value));
}

}  // namespace

template <class Real>
TotalVariation<Real>::TotalVariation(const Shape& shape, DifferenceAxes axes, double weight, DifferenceAxes cyclic)
    : op_(shape, axes, cyclic), axes_(axes), cyclic_(cyclic), weight_(weight) {
  check_positive("weight", weight);
}

template <class Real>
double TotalVariation<Real>::value(const Context& ctx, ArrayRef<const Complex> x) const {
  Array<Complex> gradient(ctx, range());
  op_.forward(ctx, x, gradient);
  const kernels::Groups groups{1, axes_.count(), {1, 1, x.size()}};
  return weight_ * 2 * std::sqrt(axes_.count()) * kernels::sum_of_norms<Real>(ctx, groups, gradient.data());
}

template <class Real>
DualStepSums TotalVariation<Real>::dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x,
                                             ArrayRef<Complex> y) const {
  check_positive("step", sigma);
  const double radius = 2 * std::sqrt(axes_.count()) * weight_;
  const auto differences = difference_kernel<Real>(series_extent(x.shape(), tv_name), axes_, cyclic_);
  const kernels::DualSums sums =
      kernels::differences_dual_step<Real>(ctx, differences, sigma, radius, x.data(), y.data());
  return {radius * sums.value, sums.change};
}

template <class Real>
void TotalVariation<Real>::add_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum) const {
  auto differences = difference_kernel<Real>(series_extent(sum.shape(), tv_name), axes_, cyclic_);
  differences.add = true;
  kernels::differences_adjoint<Real>(ctx, differences, y.data(), sum.data());
}

template <class Real>
void TotalVariation<Real>::add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x,
                                      ArrayRef<Complex> sum) const {
  check_positive("factor", factor);
  auto differences = difference_kernel<Real>(series_extent(x.shape(), tv_name), axes_, cyclic_);
  for (Real& scale : differences.scale) scale *= static_cast<Real>(std::sqrt(factor));
  differences.add = true;
  kernels::differences_normal<Real>(ctx, differences, x.data(), sum.data());
}

template class TotalVariation<float>;
template class TotalVariation<double>;

}  // namespace whorl
