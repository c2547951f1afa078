#include "whorl/recon/g_factor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/calib/combine.hpp"

namespace whorl {

template <Precision Real>
Array<Real> g_factor(const Context& ctx, ArrayRef<const Real> standard_deviation,
                     ArrayRef<const std::complex<Real>> maps, Index samples) {
  if (maps.rank() == 0 || maps.shape().tail() != standard_deviation.shape()) {
    throw ShapeError(fmt::format("g-factor: a standard deviation of shape {} for maps of {}; expected maps [coil, ...]",
                                 to_string(standard_deviation.shape()), to_string(maps.shape())));
  }
  if (samples < 1) throw ValueError(fmt::format("g-factor: {} samples, expected at least 1", samples));
  Array<Real> g = to_host<Real>(ctx, root_sum_of_squares<Real>(ctx, maps));
  const double scale = std::sqrt(static_cast<double>(samples) / static_cast<double>(standard_deviation.size()));
  for (Index i = 0; i < g.size(); ++i) g.data()[i] *= static_cast<Real>(scale * standard_deviation.data()[i]);
  return g;
}

template Array<float> g_factor(const Context&, ArrayRef<const float>, ArrayRef<const std::complex<float>>, Index);
template Array<double> g_factor(const Context&, ArrayRef<const double>, ArrayRef<const std::complex<double>>, Index);

}  // namespace whorl
