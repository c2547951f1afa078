#include "whorl/prox/total_variation.hpp"

#include <cmath>

#include "kernels/penalties/differences.hpp"
#include "op/difference_kernels.hpp"

namespace whorl {

namespace {

constexpr const char* tv_name = "total variation";

double radius_of(DifferenceAxes axes, double weight) { return 2 * std::sqrt(axes.count()) * weight; }

}  // namespace

template <class Real>
TotalVariation<Real>::TotalVariation(const Shape& shape, DifferenceAxes axes, double weight, DifferenceAxes cyclic)
    : InfimalFunction<Real>(tv_name, Differences<Real>(shape, axes, cyclic).domain(), 0,
                            {{.images = axes.count(), .radius = radius_of(axes, weight)}}, 1),
      op_(shape, axes, cyclic),
      axes_(axes),
      cyclic_(cyclic),
      radius_(radius_of(axes, weight)) {}

template <class Real>
void TotalVariation<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> /*w*/,
                                      ArrayRef<Complex> y) const {
  op_.forward(ctx, x, y);
}

template <class Real>
DualStepSums TotalVariation<Real>::do_dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x,
                                                ArrayRef<const Complex> /*w*/, ArrayRef<Complex> y) const {
  const auto differences = difference_kernel<Real>(series_extent(x.shape(), tv_name), axes_, cyclic_);
  const kernels::DualSums sums =
      kernels::differences_dual_step<Real>(ctx, differences, sigma, radius_, x.data(), y.data());
  return {radius_ * sums.value, sums.change};
}

template <class Real>
void TotalVariation<Real>::do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y,
                                          ArrayRef<Complex> sum_x, ArrayRef<Complex> /*sum_w*/) const {
  auto differences = difference_kernel<Real>(series_extent(sum_x.shape(), tv_name), axes_, cyclic_);
  for (Real& scale : differences.scale) scale *= static_cast<Real>(factor);
  differences.add = true;
  kernels::differences_adjoint<Real>(ctx, differences, y.data(), sum_x.data());
}

template <class Real>
void TotalVariation<Real>::do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x,
                                         ArrayRef<const Complex> /*w*/, ArrayRef<Complex> sum_x,
                                         ArrayRef<Complex> /*sum_w*/) const {
  auto differences = difference_kernel<Real>(series_extent(x.shape(), tv_name), axes_, cyclic_);
  for (Real& scale : differences.scale) scale *= static_cast<Real>(std::sqrt(factor));
  differences.add = true;
  kernels::differences_normal<Real>(ctx, differences, x.data(), sum_x.data());
}

template class TotalVariation<float>;
template class TotalVariation<double>;

}  // namespace whorl
