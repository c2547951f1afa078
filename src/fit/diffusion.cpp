#include "whorl/fit/diffusion.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "fit/series_fit.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

void check_b_values(std::span<const double> b) {
  const bool valid = std::all_of(b.begin(), b.end(), [](double one) { return std::isfinite(one) && one >= 0; });
  if (!valid || *std::max_element(b.begin(), b.end()) == *std::min_element(b.begin(), b.end())) {
    throw ValueError("diffusion: expected b values that are finite, 0 or more and not all equal");
  }
}

DiffusionMaps empty_maps(const Context& ctx, const Shape& image) {
  const Context host = ctx.host();
  return {zeros<float>(host, image), zeros<float>(host, image), zeros<float>(host, image), zeros<float>(host, image)};
}

// b (gx^2, gy^2, gz^2, 2 gx gy, 2 gx gz, 2 gy gz) for each image: what multiplies xx, yy, zz, xy, xz, yz in log S.
std::vector<double> tensor_settings(std::span<const double> b, std::span<const std::array<double, 3>> directions) {
  std::vector<double> settings;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(7, 7);
  const double largest = *std::max_element(b.begin(), b.end());
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto [x, y, z] = directions[i];
    const double length = std::hypot(x, y, z);
    if (b[i] > 0 && !(std::abs(length - 1) < 0.01)) {
      throw ValueError(fmt::format("diffusion: direction {} has the length {:.4g}, expected a unit vector", i, length));
    }
    const double weight = b[i] > 0 ? b[i] / (length * length) : 0;
    Eigen::Matrix<double, 7, 1> row;
    row << 1, x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z;
    row.tail<6>() *= weight;
    if (weight == 0) row.tail<6>().setZero();
    for (int k = 1; k < 7; ++k) settings.push_back(row[k]);
    row.tail<6>() /= largest;
    normal += row * row.transpose();
  }
  const Eigen::VectorXd spectrum = detail::eigenpairs(normal).values;
  if (!(spectrum[0] > 1e-6 * spectrum[6])) {
    throw ValueError(
        "diffusion: these b values and directions do not determine a tensor; expected two b values or more, and six "
        "directions or more that lie on no cone");
  }
  return settings;
}

struct Anisotropy {
  double value = 0;
  std::array<double, 6> slope{};  // by xx, yy, zz, xy, xz, yz
};

// FA^2 = 3/2 |D - MD|^2 / |D|^2 in the norm of Frobenius.
Anisotropy anisotropy_of(const std::array<double, 6>& d) {
  const double mean = (d[0] + d[1] + d[2]) / 3;
  double square = 0;
  double deviation = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    square += d[k] * d[k] + 2 * d[3 + k] * d[3 + k];
    deviation += (d[k] - mean) * (d[k] - mean) + 2 * d[3 + k] * d[3 + k];
  }
  Anisotropy found;
  if (!(square > 0)) return found;
  found.value = std::sqrt(1.5 * deviation / square);
  if (!(found.value > 0)) return found;
  for (std::size_t k = 0; k < 6; ++k) {
    const double of_deviation = k < 3 ? 2 * (d[k] - mean) : 4 * d[k];
    const double of_square = k < 3 ? 2 * d[k] : 4 * d[k];
    found.slope[k] = 0.75 * (of_deviation - deviation / square * of_square) / (square * found.value);
  }
  return found;
}

// The variance of a function of a fit's rates from its slopes by them.
double variance_of(const FittedVoxels& voxels, Index v, const std::array<double, 6>& slope) {
  double sum = 0;
  for (int k = 0; k < 6; ++k) {
    for (int l = 0; l < 6; ++l) {
      sum +=
          slope[static_cast<std::size_t>(k)] * slope[static_cast<std::size_t>(l)] * voxels.covariance(1 + k, 1 + l, v);
    }
  }
  return std::max(sum, 0.0);
}

void store_tensor(const FittedVoxels& voxels, Index v, TensorMaps& maps) {
  const Index r = voxels.first() + v;
  const Index size = maps.anisotropy.size();
  std::array<double, 6> d{};
  for (int k = 0; k < 6; ++k) {
    d[static_cast<std::size_t>(k)] = voxels.parameter(1 + k, v);
    maps.tensor.data()[k * size + r] = static_cast<float>(d[static_cast<std::size_t>(k)]);
  }
  constexpr double third = 1.0 / 3;
  maps.mean.diffusivity.data()[r] = static_cast<float>((d[0] + d[1] + d[2]) / 3);
  maps.mean.diffusivity_error.data()[r] =
      static_cast<float>(std::sqrt(variance_of(voxels, v, {third, third, third, 0, 0, 0})));
  maps.mean.amplitude.data()[r] = static_cast<float>(voxels.parameter(0, v));
  maps.mean.amplitude_error.data()[r] = static_cast<float>(voxels.error(0, v));
  const Anisotropy anisotropy = anisotropy_of(d);
  maps.anisotropy.data()[r] = static_cast<float>(anisotropy.value);
  maps.anisotropy_error.data()[r] = static_cast<float>(std::sqrt(variance_of(voxels, v, anisotropy.slope)));
  Eigen::Matrix3d matrix;
  matrix << d[0], d[3], d[4], d[3], d[1], d[5], d[4], d[5], d[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> spectrum(matrix);
  for (int n = 0; n < 3; ++n) {
    maps.eigenvalues.data()[n * size + r] = static_cast<float>(spectrum.eigenvalues()[2 - n]);
    for (int axis = 0; axis < 3; ++axis) {
      maps.eigenvectors.data()[(3 * n + axis) * size + r] = static_cast<float>(spectrum.eigenvectors()(axis, 2 - n));
    }
  }
}

}  // namespace

DiffusionMaps fit_diffusion(const Context& ctx, ArrayRef<const float> series, std::span<const double> b_values,
                            const FitOptions& options, const SeriesErrors& errors) {
  const SeriesRange range =
      check_series(ctx, "diffusion", "b values", series, static_cast<Index>(b_values.size()), 2, options, errors);
  check_b_values(b_values);
  DiffusionMaps maps = empty_maps(ctx, series.shape().tail());
  const SeriesFit fit{kernels::SignalModel::decay, {b_values.begin(), b_values.end()}};
  const FitCounts counts =
      fit_series(ctx, "diffusion", fit, series, range.largest, options, errors, [&](const FittedVoxels& voxels) {
        for_fitted(ctx, voxels, [&](Index v) {
          const Index r = voxels.first() + v;
          maps.amplitude.data()[r] = static_cast<float>(voxels.parameter(0, v));
          maps.amplitude_error.data()[r] = static_cast<float>(voxels.error(0, v));
          maps.diffusivity.data()[r] = static_cast<float>(voxels.parameter(1, v));
          maps.diffusivity_error.data()[r] = static_cast<float>(voxels.error(1, v));
        });
      });
  maps.fitted = counts.fitted;
  maps.failed = counts.failed;
  return maps;
}

TensorMaps fit_diffusion_tensor(const Context& ctx, ArrayRef<const float> series, std::span<const double> b_values,
                                std::span<const std::array<double, 3>> directions, const FitOptions& options,
                                const SeriesErrors& errors) {
  const SeriesRange range = check_series(ctx, "diffusion tensor", "b values", series,
                                         static_cast<Index>(b_values.size()), 7, options, errors);
  check_b_values(b_values);
  if (directions.size() != b_values.size()) {
    throw ShapeError(fmt::format("diffusion: {} directions for {} b values; expected one for each", directions.size(),
                                 b_values.size()));
  }
  const SeriesFit fit{kernels::SignalModel::tensor, tensor_settings(b_values, directions)};
  const Shape image = series.shape().tail();
  const Context host = ctx.host();
  TensorMaps maps{empty_maps(ctx, image),
                  zeros<float>(host, image),
                  zeros<float>(host, image),
                  zeros<float>(host, image.with_front(3)),
                  zeros<float>(host, image.with_front(3).with_front(3)),
                  zeros<float>(host, image.with_front(6))};
  const FitCounts counts = fit_series(
      ctx, "diffusion tensor", fit, series, range.largest, options, errors,
      [&](const FittedVoxels& voxels) { for_fitted(ctx, voxels, [&](Index v) { store_tensor(voxels, v, maps); }); });
  maps.mean.fitted = counts.fitted;
  maps.mean.failed = counts.failed;
  return maps;
}

}  // namespace whorl
