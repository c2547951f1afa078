#include "whorl/calib/channel_matrix.hpp"

#include <fmt/format.h>

#include <vector>

#include "calib/matrix_types.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <class Real>
Array<std::complex<Real>> apply_channel_matrix(const Context& ctx, ArrayRef<const std::complex<double>> matrix,
                                               ArrayRef<const std::complex<Real>> data) {
  if (matrix.rank() != 2 || data.rank() < 1 || matrix.extent(1) != data.extent(0)) {
    throw ShapeError(fmt::format("channel matrix: expected [channel, coil] and data [coil, ...], got {} and {}",
                                 to_string(matrix.shape()), to_string(data.shape())));
  }
  const Index channels = matrix.extent(0);
  const Index coils = matrix.extent(1);
  const Shape rest = data.shape().tail();
  const Index elements = rest.size();
  Array<std::complex<Real>> result(ctx, rest.with_front(channels));
  const detail::RowMajorMatrix<Real> weights =
      Eigen::Map<const detail::RowMajorMatrix<double>>(matrix.data(), channels, coils)
          .template cast<std::complex<Real>>();
  const Eigen::Map<const detail::RowMajorMatrix<Real>> from(data.data(), coils, elements);
  Eigen::Map<detail::RowMajorMatrix<Real>> to(result.data(), channels, elements);
  constexpr Index block = 4096;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index first = 0; first < elements; first += block) {
    const Index count = std::min(block, elements - first);
    to.middleCols(first, count) = weights.lazyProduct(from.middleCols(first, count));
  }
  return result;
}

template Array<std::complex<float>> apply_channel_matrix(const Context&, ArrayRef<const std::complex<double>>,
                                                         ArrayRef<const std::complex<float>>);
template Array<std::complex<double>> apply_channel_matrix(const Context&, ArrayRef<const std::complex<double>>,
                                                          ArrayRef<const std::complex<double>>);

}  // namespace whorl
