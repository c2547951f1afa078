#include "studies/quantitative_mri/trial.hpp"

#include <cmath>

#include "whorl/core/laps.hpp"

namespace whorl::studies::quantitative_mri {

using Wide = std::complex<double>;

template <class Real>
void add_image(const Trial& trial, Row& row, ArrayRef<const std::complex<Real>> image) {
  const Context host = trial.ctx.host();
  const Array<std::complex<Real>> here = to_host(trial.ctx, image);
  Array<Wide> wide(host, trial.image());
  for (Index i = 0; i < wide.size(); ++i) wide.data()[i] = Wide(here.data()[i]);
  row.quality.push_back(error_measures<Wide>(host, wide, trial.scan.truth));
  row.slices.push_back(central_slice(host, wide));
}

Array<float> central_slice(const Context& ctx, ArrayRef<const Wide> volume) {
  const ArrayRef<const Wide> slice = volume.slice(volume.extent(0) / 2);
  Array<float> magnitude(ctx, slice.shape());
  for (Index i = 0; i < slice.size(); ++i) magnitude.data()[i] = static_cast<float>(std::abs(slice.data()[i]));
  return magnitude;
}

template <class Real>
Array<std::complex<Real>> to_device(const Context& ctx, ArrayRef<const Wide> values) {
  Array<std::complex<Real>> converted(ctx.host(), values.shape());
  for (Index i = 0; i < values.size(); ++i) converted.data()[i] = std::complex<Real>(values.data()[i]);
  return ctx.device() == Device{} ? std::move(converted) : clone(ctx, converted.ref());
}

double seconds_of(const Context& ctx, const std::function<void()>& work) {
  Laps laps(ctx);
  laps.mark();
  work();
  laps.mark();
  return laps.milliseconds().front() / 1000;
}

#define WHORL_INSTANTIATE(Real)                                                          \
  template void add_image<Real>(const Trial&, Row&, ArrayRef<const std::complex<Real>>); \
  template Array<std::complex<Real>> to_device<Real>(const Context&, ArrayRef<const Wide>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::studies::quantitative_mri
