#include "studies/fmri/general_linear_model.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::studies::fmri {

GeneralLinearModel::GeneralLinearModel(Index voxels)
    : sums_(static_cast<std::size_t>(voxels)), squares_(static_cast<std::size_t>(voxels)) {}

void GeneralLinearModel::add(const Context& ctx, double response, double time, ArrayRef<const float> volume) {
  const std::array<double, regressors> row{response, 1, time, time * time};
  ++volumes_;
  for (std::size_t i = 0; i < regressors; ++i) {
    for (std::size_t j = 0; j < regressors; ++j) products_[i][j] += row[i] * row[j];
  }
  const auto voxels = static_cast<Index>(sums_.size());
#pragma omp parallel for num_threads(ctx.threads())
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    const double value = volume.data()[voxel];
    auto& sums = sums_[static_cast<std::size_t>(voxel)];
    for (std::size_t i = 0; i < regressors; ++i) sums[i] += row[i] * value;
    squares_[static_cast<std::size_t>(voxel)] += value * value;
  }
}

GeneralLinearModel::Maps GeneralLinearModel::maps(const Context& ctx) const {
  constexpr int n = regressors;
  using Matrix = Eigen::Matrix<double, n, n>;
  Matrix products;
  for (std::size_t i = 0; i < regressors; ++i) {
    for (std::size_t j = 0; j < regressors; ++j) products(static_cast<int>(i), static_cast<int>(j)) = products_[i][j];
  }
  const Matrix inverse = products.inverse();
  // The part of the response that the other regressors do not explain.
  const double own = 1 / (inverse(0, 0) * products(0, 0));
  constexpr double least_part = 1e-6;
  if (volumes_ <= n || !(own > least_part)) {
    throw ValueError(fmt::format(
        "fmri: {} volumes do not tell the response from drifts, expected two blocks or more: give more --volumes",
        volumes_));
  }
  Maps maps;
  maps.degrees = volumes_ - n;
  const Shape shape{static_cast<Index>(sums_.size())};
  for (Array<float>* map : {&maps.effect, &maps.baseline, &maps.noise, &maps.t}) *map = Array<float>(ctx.host(), shape);
  for (std::size_t voxel = 0; voxel < sums_.size(); ++voxel) {
    const Eigen::Matrix<double, n, 1> sums = Eigen::Map<const Eigen::Matrix<double, n, 1>>(sums_[voxel].data());
    const Eigen::Matrix<double, n, 1> b = inverse * sums;
    const double variance = std::max(0.0, squares_[voxel] - b.dot(sums)) / static_cast<double>(maps.degrees);
    const double standard_error = std::sqrt(variance * inverse(0, 0));
    maps.effect.data()[voxel] = static_cast<float>(b(0));
    maps.baseline.data()[voxel] = static_cast<float>(b(1));
    maps.noise.data()[voxel] = static_cast<float>(std::sqrt(variance));
    maps.t.data()[voxel] = standard_error > 0 ? static_cast<float>(b(0) / standard_error) : 0.0F;
  }
  return maps;
}

}  // namespace whorl::studies::fmri
