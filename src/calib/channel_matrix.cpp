#include "whorl/calib/channel_matrix.hpp"

#include <fmt/format.h>

#include "kernels/channels.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

template <Precision Real>
Array<std::complex<Real>> apply_channel_matrix(const Context& ctx, ArrayRef<const std::complex<double>> matrix,
                                               ArrayRef<const std::complex<Real>> data) {
  if (matrix.rank() != 2 || data.rank() < 1 || matrix.extent(1) != data.extent(0)) {
    throw ShapeError(fmt::format("channel matrix: expected [channel, coil] and data [coil, ...], got {} and {}",
                                 to_string(matrix.shape()), to_string(data.shape())));
  }
  const Index channels = matrix.extent(0);
  const Shape rest = data.shape().tail();
  const OnDevice<std::complex<Real>> here(ctx, data);
  Array<std::complex<Real>> result(ctx, rest.with_front(channels));
  kernels::apply_channel_matrix<Real>(ctx, channels, matrix.extent(1), rest.size(), matrix.span().data(),
                                      here.get().data(), result.data());
  return result;
}

template Array<std::complex<float>> apply_channel_matrix(const Context&, ArrayRef<const std::complex<double>>,
                                                         ArrayRef<const std::complex<float>>);
template Array<std::complex<double>> apply_channel_matrix(const Context&, ArrayRef<const std::complex<double>>,
                                                          ArrayRef<const std::complex<double>>);

}  // namespace whorl
