#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "calib/channels.hpp"
#include "calib/median.hpp"
#include "math/decompositions.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

constexpr double edge_part = 0.1;
constexpr Index samples_per_coil = 20;
constexpr int rounds = 5;

// The samples with the largest |k|, and their smallest |k|.
std::vector<Index> outermost(const View<const double, 2>& k, Index count, double& radius) {
  std::vector<double> square(static_cast<std::size_t>(k.extent(0)));
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      square[static_cast<std::size_t>(sample)] += k(sample, axis) * k(sample, axis);
    }
  }
  std::vector<Index> order(square.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto further = [&](Index a, Index b) {
    return square[static_cast<std::size_t>(a)] > square[static_cast<std::size_t>(b)];
  };
  std::nth_element(order.begin(), order.begin() + (count - 1), order.end(), further);
  order.resize(static_cast<std::size_t>(count));
  radius = std::sqrt(square[static_cast<std::size_t>(order.back())]);
  return order;
}

// L^-1, where C = L L^H.
detail::RowMajorMatrix<double> whitening(const detail::Matrix<double>& covariance) {
  const std::optional<detail::Matrix<double>> inverse = detail::inverse_cholesky(covariance);
  if (!inverse) {
    throw ValueError(
        "noise covariance from the edge of k-space: it is singular; look for coils without signal or copies of others");
  }
  return *inverse;
}

}  // namespace

template <Precision Real>
NoiseCovariance noise_covariance_from_edge(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                           ArrayRef<const double> points) {
  constexpr std::string_view operation = "noise covariance from the edge of k-space";
  const OnDevice<std::complex<Real>> here(ctx, data);
  detail::check_channels<Real>(ctx, operation, here.get(), 2, 2);
  const Index coils = data.extent(0);
  const Index samples = data.extent(1);
  if (points.rank() != 2 || points.extent(0) != samples) {
    throw ShapeError(fmt::format("{}: data {} and trajectory {} differ in the number of samples", operation,
                                 to_string(data.shape()), to_string(points.shape())));
  }
  const Index count = std::max(static_cast<Index>(edge_part * static_cast<double>(samples)), samples_per_coil * coils);
  if (count > samples) {
    throw ValueError(fmt::format("{}: {} samples are too few for {} coils, expected at least {}", operation, samples,
                                 coils, samples_per_coil * coils));
  }
  double radius = 0;
  const std::vector<Index> edge = outermost(points.view<2>(), count, radius);
  const Array<std::complex<Real>> noise = detail::take_samples<Real>(ctx, here.get(), edge);

  // The median of the sum of n exponential variables is n - 1/3 to within 1/(50 n), its standard deviation sqrt(n).
  const auto n = static_cast<double>(coils);
  detail::Matrix<double> covariance = detail::gram_of_channels<Real>(ctx, noise) / static_cast<double>(count);
  Index kept = count;
  for (int round = 0; round < rounds; ++round) {
    const auto white = whitening(covariance);
    // x^H C^-1 x: for noise of covariance C a sum of `coils` exponential variables.
    const Array<double> energies = detail::sample_energies<Real>(ctx, white, noise);
    const Array<double> seen = to_host(ctx, energies.ref());
    const double scale = median({seen.span().begin(), seen.span().end()}) / (n - 1.0 / 3);
    const double limit = (n + 5 * std::sqrt(n)) * scale;
    kept = std::count_if(seen.span().begin(), seen.span().end(), [&](double energy) { return energy <= limit; });
    covariance = detail::gram_of_channels<Real>(ctx, noise, energies, limit) / static_cast<double>(kept);
  }
  NoiseCovariance result{
      Array<std::complex<double>>(ctx.host(), {coils, coils}), kept,
      fmt::format("noise covariance of {} coils from {} samples at the edge of k-space (|k| >= {:.3g}), {} left out as "
                  "signal; there is no noise scan",
                  coils, kept, radius, count - kept)};
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), coils, coils) = covariance;
  return result;
}

template NoiseCovariance noise_covariance_from_edge(const Context&, ArrayRef<const std::complex<float>>,
                                                    ArrayRef<const double>);
template NoiseCovariance noise_covariance_from_edge(const Context&, ArrayRef<const std::complex<double>>,
                                                    ArrayRef<const double>);

}  // namespace whorl
