#include "whorl/phantom/coils.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "phantom/checks.hpp"

namespace whorl {

template <class Real>
Array<std::complex<Real>> phantom_coil_maps(const Context& ctx, const PhantomCoils& coils) {
  const auto& matrix = coils.matrix;
  const auto q = coils.frequencies.view<2>();
  const auto a = coils.coefficients.view<2>();
  const Shape shape = detail::matrix_shape(matrix);
  Array<std::complex<Real>> maps(ctx, shape.with_front(a.extent(0)));
  const Index voxels = shape.size();
  std::complex<Real>* out = maps.data();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index row = 0; row < matrix[1] * matrix[2]; ++row) {
    for (Index x = 0; x < matrix[0]; ++x) {
      const std::array<Index, 3> place{x - matrix[0] / 2, row % matrix[1] - matrix[1] / 2,
                                       row / matrix[1] - matrix[2] / 2};
      for (Index coil = 0; coil < a.extent(0); ++coil) {
        std::complex<double> sum = 0;
        for (Index term = 0; term < a.extent(1); ++term) {
          double cycles = 0;
          for (Index axis = 0; axis < q.extent(1); ++axis) {
            const auto d = static_cast<std::size_t>(axis);
            cycles += q(term, axis) * static_cast<double>(place[d]);
          }
          sum += a(coil, term) * std::polar(1.0, 2 * std::numbers::pi * cycles);
        }
        out[coil * voxels + row * matrix[0] + x] = std::complex<Real>(sum);
      }
    }
  }
  return maps;
}

template <class Real>
Array<std::complex<Real>> phantom_coil_samples(const Context& ctx, std::span<const Ellipsoid> ellipsoids,
                                               const PhantomCoils& coils, ArrayRef<const double> points) {
  detail::check_points(points, detail::matrix_dim(coils.matrix));
  const auto q = coils.frequencies.view<2>();
  const auto a = coils.coefficients.view<2>();
  const Index samples = points.extent(0);
  const Index channels = a.extent(0);
  Array<std::complex<double>> sums = zeros<std::complex<double>>(ctx, {channels, samples});
  Array<double> shifted = clone(ctx, points);
  const auto k = points.view<2>();
  for (Index term = 0; term < a.extent(1); ++term) {
    const auto moved = shifted.view<2>();
    for (Index sample = 0; sample < samples; ++sample) {
      for (Index axis = 0; axis < q.extent(1); ++axis) moved(sample, axis) = k(sample, axis) - q(term, axis);
    }
    const Array<std::complex<double>> object = ellipsoid_samples(ctx, ellipsoids, coils.matrix, shifted);
    for (Index coil = 0; coil < channels; ++coil) {
      std::complex<double>* sum = sums.slice(coil).data();
      for (Index sample = 0; sample < samples; ++sample) sum[sample] += a(coil, term) * object.data()[sample];
    }
  }
  Array<std::complex<Real>> result(ctx, {channels, samples});
  std::transform(sums.span().begin(), sums.span().end(), result.data(),
                 [](const std::complex<double>& sum) { return std::complex<Real>(sum); });
  return result;
}

template Array<std::complex<float>> phantom_coil_maps(const Context&, const PhantomCoils&);
template Array<std::complex<double>> phantom_coil_maps(const Context&, const PhantomCoils&);
template Array<std::complex<float>> phantom_coil_samples(const Context&, std::span<const Ellipsoid>,
                                                         const PhantomCoils&, ArrayRef<const double>);
template Array<std::complex<double>> phantom_coil_samples(const Context&, std::span<const Ellipsoid>,
                                                          const PhantomCoils&, ArrayRef<const double>);

}  // namespace whorl
