#include "calib/channels.hpp"

#include <fmt/format.h>

#include "kernels/channels.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl::detail {

namespace {

template <class Real>
Matrix<double> gram(const Context& ctx, ArrayRef<const std::complex<Real>> data, const kernels::SampleLimit& kept) {
  const Index coils = data.extent(0);
  RowMajorMatrix<double> sum(coils, coils);
  kernels::gram_of_channels<Real>(ctx, coils, data.size() / coils, data.data(), kept, sum.data());
  return sum;
}

}  // namespace

template <class Real>
void check_channels(const Context& ctx, std::string_view operation, ArrayRef<const std::complex<Real>> data, int lowest,
                    int highest) {
  if (data.rank() < lowest || data.rank() > highest || data.extent(0) < 1) {
    throw ShapeError(fmt::format("{}: expected an array of rank {} to {} whose first axis is the coils, got shape {}",
                                 operation, lowest, highest, to_string(data.shape())));
  }
  const Index bad = kernels::first_not_finite<Real>(ctx, data.size(), data.data());
  if (bad >= 0) {
    const Index per_coil = data.size() / data.extent(0);
    throw ValueError(fmt::format("{}: element {} of coil {} is not finite", operation, bad % per_coil, bad / per_coil));
  }
}

template <class Real>
Matrix<double> gram_of_channels(const Context& ctx, ArrayRef<const std::complex<Real>> data) {
  return gram<Real>(ctx, data, {});
}

template <class Real>
Matrix<double> gram_of_channels(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                ArrayRef<const double> energies, double limit) {
  return gram<Real>(ctx, data, {energies.data(), limit});
}

template <class Real>
Array<double> sample_energies(const Context& ctx, const RowMajorMatrix<double>& matrix,
                              ArrayRef<const std::complex<Real>> data) {
  Array<double> energies(ctx, {data.extent(1)});
  kernels::sample_energies<Real>(ctx, data.extent(0), data.extent(1), matrix.data(), data.data(), energies.data());
  return energies;
}

template <class Real>
Array<std::complex<Real>> take_samples(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                       std::span<const Index> places) {
  const auto count = static_cast<Index>(places.size());
  const OnDevice<Index> here(ctx, ArrayRef<const Index>(places.data(), {count}));
  Array<std::complex<Real>> taken(ctx, {data.extent(0), count});
  kernels::take_samples<Real>(ctx, data.extent(0), data.extent(1), data.data(), count, here.get().data(), taken.data());
  return taken;
}

#define WHORL_INSTANTIATE(Real)                                                                                        \
  template void check_channels(const Context&, std::string_view, ArrayRef<const std::complex<Real>>, int, int);        \
  template Matrix<double> gram_of_channels(const Context&, ArrayRef<const std::complex<Real>>);                        \
  template Matrix<double> gram_of_channels(const Context&, ArrayRef<const std::complex<Real>>, ArrayRef<const double>, \
                                           double);                                                                    \
  template Array<double> sample_energies(const Context&, const RowMajorMatrix<double>&,                                \
                                         ArrayRef<const std::complex<Real>>);                                          \
  template Array<std::complex<Real>> take_samples(const Context&, ArrayRef<const std::complex<Real>>,                  \
                                                  std::span<const Index>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::detail
