#include "correct/center_fit.hpp"

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "math/column_product.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl::detail {

namespace {

constexpr double held_part = 0.2;
constexpr std::uint64_t seed = 1;
constexpr Index least_samples = 50;
// Ridge, relative to the mean square of the rows: limits what no sample determines, far below the noise of a sample.
constexpr double ridge_part = 1e-6;

CenterPlaces places_of(const CenterPlaces& places, const std::vector<std::size_t>& list) {
  CenterPlaces some;
  for (const std::size_t i : list) some.push_back(places[i]);
  return some;
}

Matrix<double> rows_of(const Matrix<double>& values, const std::vector<std::size_t>& list) {
  Matrix<double> rows(static_cast<Index>(list.size()), values.cols());
  for (std::size_t i = 0; i < list.size(); ++i) {
    rows.row(static_cast<Index>(i)) = values.row(static_cast<Index>(list[i]));
  }
  return rows;
}

double left_of(const Matrix<double>& expected, const Matrix<double>& found) {
  const double energy = expected.squaredNorm();
  return energy > 0 ? std::sqrt((expected - found).squaredNorm() / energy) : 1;
}

// The ridge makes every such matrix positive definite, unless its numbers are none.
template <class DenseMatrix>
DenseMatrix factor_of(const DenseMatrix& normal) {
  std::optional<DenseMatrix> lower = cholesky(normal);
  if (!lower) throw ValueError("center of k-space: positions, data or coil maps hold values that are not finite");
  return std::move(*lower);
}

std::vector<SampleUse> random_uses(std::size_t count) {
  std::vector<SampleUse> uses(count, SampleUse::fitted);
  for (std::size_t i = 0; i < count; ++i) {
    if (random_uniform(seed, i) < held_part) uses[i] = SampleUse::held;
  }
  return uses;
}

template <class DenseMatrix>
DenseMatrix solve(const DenseMatrix& lower, const DenseMatrix& right) {
  const DenseMatrix half = lower.template triangularView<Eigen::Lower>().solve(right);
  return lower.adjoint().template triangularView<Eigen::Upper>().solve(half);
}

}  // namespace

Matrix<double> CenterSamples::moved(const std::array<double, 3>& by) const {
  Matrix<double> there = values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double turns = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) turns += places[i][axis] * by[axis];
    there.row(static_cast<Index>(i)) *= std::polar(1.0, 2 * std::numbers::pi * turns);
  }
  return there;
}

double center_radius(int dim) { return dim == 2 ? 6 : 2; }

Index center_grid(int dim) {
  // The margin makes the grid finer than the samples need: what a function of the view has beyond them falls off fast.
  const double margin = dim == 2 ? 6 : 3;
  const auto least = static_cast<Index>(std::ceil(2 * center_radius(dim) + margin));
  return least % 2 == 0 ? least + 1 : least;
}

CenterModel::CenterModel(const Context& ctx, int dim, const CenterPlaces& places)
    : CenterModel(ctx, dim, places, random_uses(places.size()), ridge_part) {}

CenterModel::CenterModel(const Context& ctx, int dim, const CenterPlaces& places, const std::vector<SampleUse>& uses,
                         double ridge) {
  ctx.check_cancel("center of k-space");
  if (static_cast<Index>(places.size()) < least_samples) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (uses[i] != SampleUse::none) (uses[i] == SampleUse::held ? held_ : fitted_).push_back(i);
  }
  grid_ = center_grid(dim);
  ridge_ = ridge * static_cast<double>(fitted_.size());
  const CenterPlaces fitted = places_of(places, fitted_);
  gram_ = std::make_unique<const CenterGram>(dim, fitted, grid_);
  encode_fitted_ = center_waves(dim, fitted, grid_);
  held_rows_ = center_waves(dim, places_of(places, held_), grid_).transpose();
  plain_ = factor_of_waves(*gram_, ridge_);
}

CenterFit CenterModel::fit(const Matrix<double>& values) const {
  if (is_empty()) return {};
  CenterFit fit{.held = static_cast<Index>(held_.size()), .grid = grid_, .image = {}};
  const Eigen::MatrixXd right = column_product(encode_fitted_, real_columns(rows_of(values, fitted_)));
  const Eigen::MatrixXd waves = solve(plain_, right);
  fit.image = voxels_of_waves(complex_columns(waves));
  fit.residual = left_of(rows_of(values, held_), complex_columns(column_product(held_rows_, waves)));
  return fit;
}

Matrix<double> CenterModel::factor(const Matrix<double>& maps) const {
  // sum_c S_c^H G S_c, with S_c the diagonal matrix of a map
  Matrix<double> normal = gram_->of_voxels().cwiseProduct((maps * maps.adjoint()).conjugate());
  normal.diagonal().array() += ridge_;
  return factor_of(normal);
}

CenterFit CenterModel::fit(const Matrix<double>& values, const Matrix<double>& maps,
                           const Matrix<double>& factor) const {
  if (is_empty()) return {};
  CenterFit fit{.held = static_cast<Index>(held_.size()), .grid = grid_, .image = {}};
  const Eigen::MatrixXd waves = column_product(encode_fitted_, real_columns(rows_of(values, fitted_)));
  const Matrix<double> right = maps.conjugate().cwiseProduct(voxels_of_waves(complex_columns(waves))).rowwise().sum();
  fit.image = solve(factor, right);
  const Eigen::MatrixXd seen = real_columns(waves_of_voxels(maps.array().colwise() * fit.image.col(0).array()));
  fit.residual = left_of(rows_of(values, held_), complex_columns(column_product(held_rows_, seen)));
  return fit;
}

Eigen::MatrixXd factor_of_waves(const CenterGram& gram, double ridge) {
  Eigen::MatrixXd normal = gram.of_waves();
  normal.diagonal().array() += ridge;
  return factor_of(normal);
}

Eigen::MatrixXd solve_factored(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& right) {
  return solve(lower, right);
}

CenterFit fit_center(const Context& ctx, const CenterSamples& samples) {
  return CenterModel(ctx, samples.dim, samples.places).fit(samples.values);
}

}  // namespace whorl::detail
