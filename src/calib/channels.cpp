#include "calib/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::detail {

template <class Real>
void check_channels(std::string_view operation, ArrayRef<const std::complex<Real>> data, int lowest, int highest) {
  if (data.rank() < lowest || data.rank() > highest || data.extent(0) < 1) {
    throw ShapeError(fmt::format("{}: expected an array of rank {} to {} whose first axis is the coils, got shape {}",
                                 operation, lowest, highest, to_string(data.shape())));
  }
  const auto elements = data.span();
  const auto bad = std::find_if(elements.begin(), elements.end(), [](const std::complex<Real>& element) {
    return !std::isfinite(element.real()) || !std::isfinite(element.imag());
  });
  if (bad != elements.end()) {
    const auto position = static_cast<Index>(bad - elements.begin());
    const Index per_coil = data.size() / data.extent(0);
    throw ValueError(
        fmt::format("{}: element {} of coil {} is not finite", operation, position % per_coil, position / per_coil));
  }
}

template <class Real>
Matrix<double> gram_of_channels(ArrayRef<const std::complex<Real>> data) {
  const Index coils = data.extent(0);
  const Index elements = data.size() / coils;
  const Eigen::Map<const RowMajorMatrix<Real>> all(data.data(), coils, elements);
  Matrix<double> gram = Matrix<double>::Zero(coils, coils);
  constexpr Index block = 1024;  // converted to double at a time, so that it stays in the cache
  for (Index first = 0; first < elements; first += block) {
    const Matrix<double> part =
        all.middleCols(first, std::min(block, elements - first)).template cast<std::complex<double>>();
    gram.noalias() += part * part.adjoint();
  }
  return gram;
}

template void check_channels(std::string_view, ArrayRef<const std::complex<float>>, int, int);
template void check_channels(std::string_view, ArrayRef<const std::complex<double>>, int, int);
template Matrix<double> gram_of_channels(ArrayRef<const std::complex<float>>);
template Matrix<double> gram_of_channels(ArrayRef<const std::complex<double>>);

}  // namespace whorl::detail
