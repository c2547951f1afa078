#include "whorl/prox/wavelet_l1.hpp"

#include "kernels/penalties/shrink.hpp"
#include "prox/shift_sequence.hpp"

namespace whorl {

namespace {

template <class Real>
kernels::Groups groups_of(const Wavelet<Real>& wavelet, const WaveletL1Options& options) {
  const auto& [frames, z, y, x] = wavelet.extent();
  const Index group = options.joint ? frames : 1;
  return {frames / group, group, {z, y, x}, options.approximation ? std::array<Index, 3>{} : wavelet.approximation()};
}

}  // namespace

template <class Real>
WaveletL1<Real>::WaveletL1(const Shape& shape, const WaveletL1Options& options)
    : ProximalFunction<Real>(shape, "wavelet l1"), wavelet_(shape, options.wavelet), options_(options) {}

template <class Real>
double WaveletL1<Real>::do_value(const Context& ctx, ArrayRef<const Complex> x) const {
  Array<Complex> coefficients = clone<Complex>(ctx, x);
  Array<Complex> scratch(ctx, x.shape().with_front(2));
  wavelet_.analyze(ctx, {}, coefficients, scratch);
  return kernels::sum_of_norms<Real>(ctx, groups_of(wavelet_, options_), coefficients.data());
}

template <class Real>
void WaveletL1<Real>::do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  shrink(ctx, step, x, pass, [](const kernels::Groups&) {});
}

template <class Real>
double WaveletL1<Real>::do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  double value = 0;
  shrink(ctx, step, x, pass,
         [&](const kernels::Groups& groups) { value = kernels::sum_of_norms<Real>(ctx, groups, x.data()); });
  return value;
}

template <class Real>
template <class Look>
void WaveletL1<Real>::shrink(const Context& ctx, double step, ArrayRef<Complex> x, Index pass, const Look& look) const {
  const auto& [frames, nz, ny, nx] = wavelet_.extent();
  const auto shift = grid_shift(options_.seed, options_.shifts ? pass : 0, {nz, ny, nx});
  Array<Complex> scratch(ctx, x.shape().with_front(2));
  wavelet_.analyze(ctx, shift, x, scratch);
  const kernels::Groups groups = groups_of(wavelet_, options_);
  kernels::shrink_groups<Real>(ctx, groups, step, x.data());
  look(groups);
  wavelet_.synthesize(ctx, shift, x, scratch);
}

template class WaveletL1<float>;
template class WaveletL1<double>;

}  // namespace whorl
