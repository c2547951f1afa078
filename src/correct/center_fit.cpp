#include "correct/center_fit.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <utility>

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

using Places = std::vector<std::array<double, 3>>;

// exp(sign 2 pi i k n step) of each sample for n from -reach to reach.
Matrix<double> phases(const Places& places, std::size_t axis, Index reach, double step, double sign) {
  Matrix<double> all(static_cast<Index>(places.size()), 2 * reach + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double turns = sign * places[i][axis] * step;
    for (Index n = -reach; n <= reach; ++n) {
      all(static_cast<Index>(i), n + reach) = std::polar(1.0, 2 * std::numbers::pi * turns * static_cast<double>(n));
    }
  }
  return all;
}

Places places_of(const Places& places, const std::vector<std::size_t>& list) {
  Places some;
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
Matrix<double> factor_of(const Matrix<double>& normal) {
  std::optional<Matrix<double>> lower = cholesky(normal);
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

Matrix<double> solve(const Matrix<double>& lower, const Matrix<double>& right) {
  const Matrix<double> half = lower.triangularView<Eigen::Lower>().solve(right);
  return lower.adjoint().triangularView<Eigen::Upper>().solve(half);
}

}  // namespace

double center_radius(int dim) { return dim == 2 ? 6 : 2; }

Index center_grid(int dim) {
  // The margin makes the grid finer than the samples need: what a function of the view has beyond them falls off fast.
  const double margin = dim == 2 ? 6 : 3;
  const auto least = static_cast<Index>(std::ceil(2 * center_radius(dim) + margin));
  return least % 2 == 0 ? least + 1 : least;
}

Matrix<double> center_encoding(int dim, const Places& places, Index grid) {
  const double step = 1 / static_cast<double>(grid);
  Matrix<double> all = phases(places, 0, (grid - 1) / 2, step, -1);
  for (int axis = 1; axis < dim; ++axis) {
    const Matrix<double> next = phases(places, static_cast<std::size_t>(axis), (grid - 1) / 2, step, -1);
    Matrix<double> product(all.rows(), all.cols() * grid);
    for (Index n = 0; n < grid; ++n) {
      product.middleCols(n * all.cols(), all.cols()) = all.array().colwise() * next.col(n).array();
    }
    all = std::move(product);
  }
  return all / std::sqrt(static_cast<double>(all.cols()));
}

// A^H A depends on the difference of two voxels alone: the sums over the samples are computed for each difference once.
Matrix<double> center_gram(int dim, const Places& places, Index grid) {
  const double step = 1 / static_cast<double>(grid);
  const Index wide = 2 * grid - 1;
  const Matrix<double> x = phases(places, 0, grid - 1, step, 1);
  const Matrix<double> y = phases(places, 1, grid - 1, step, 1);
  const Index deep = dim == 3 ? wide : 1;
  Matrix<double> sums(wide, wide * deep);  // [x, (z, y)]
  if (dim == 3) {
    const Matrix<double> z = phases(places, 2, grid - 1, step, 1);
    for (Index n = 0; n < deep; ++n) {
      const Matrix<double> turned = y.array().colwise() * z.col(n).array();
      sums.middleCols(n * wide, wide).noalias() = x.transpose() * turned;
    }
  } else {
    sums.noalias() = x.transpose() * y;
  }
  const Index voxels = dim == 3 ? grid * grid * grid : grid * grid;
  Matrix<double> result(voxels, voxels);
  for (Index a = 0; a < voxels; ++a) {
    for (Index b = 0; b < voxels; ++b) {
      const Index dx = a % grid - b % grid + grid - 1;
      const Index dy = a / grid % grid - b / grid % grid + grid - 1;
      const Index dz = dim == 3 ? a / (grid * grid) - b / (grid * grid) + grid - 1 : 0;
      result(a, b) = sums(dx, dz * wide + dy) / static_cast<double>(voxels);
    }
  }
  return result;
}

CenterModel::CenterModel(const Context& ctx, int dim, const Places& places)
    : CenterModel(ctx, dim, places, random_uses(places.size()), ridge_part) {}

CenterModel::CenterModel(const Context& ctx, int dim, const Places& places, const std::vector<SampleUse>& uses,
                         double ridge) {
  ctx.check_cancel("center of k-space");
  if (static_cast<Index>(places.size()) < least_samples) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (uses[i] != SampleUse::none) (uses[i] == SampleUse::held ? held_ : fitted_).push_back(i);
  }
  grid_ = center_grid(dim);
  ridge_ = ridge * static_cast<double>(fitted_.size());
  const Places fitted = places_of(places, fitted_);
  gram_ = center_gram(dim, fitted, grid_);
  encode_fitted_ = center_encoding(dim, fitted, grid_);
  encode_held_ = center_encoding(dim, places_of(places, held_), grid_);
  Matrix<double> normal = gram_;
  normal.diagonal().array() += ridge_;
  plain_ = factor_of(normal);
}

CenterFit CenterModel::fit(const Matrix<double>& values) const {
  if (is_empty()) return {};
  CenterFit fit{.held = static_cast<Index>(held_.size()), .grid = grid_, .image = {}};
  fit.image = solve(plain_, encode_fitted_.adjoint() * rows_of(values, fitted_));
  fit.residual = left_of(rows_of(values, held_), encode_held_ * fit.image);
  return fit;
}

Matrix<double> CenterModel::factor(const Matrix<double>& maps) const {
  // sum_c S_c^H G S_c, with S_c the diagonal matrix of a map
  Matrix<double> normal = gram_.cwiseProduct((maps * maps.adjoint()).conjugate());
  normal.diagonal().array() += ridge_;
  return factor_of(normal);
}

CenterFit CenterModel::fit(const Matrix<double>& values, const Matrix<double>& maps,
                           const Matrix<double>& factor) const {
  if (is_empty()) return {};
  CenterFit fit{.held = static_cast<Index>(held_.size()), .grid = grid_, .image = {}};
  const Matrix<double> images = encode_fitted_.adjoint() * rows_of(values, fitted_);
  fit.image = solve(factor, maps.conjugate().cwiseProduct(images).rowwise().sum());
  const Matrix<double> seen = maps.array().colwise() * fit.image.col(0).array();
  fit.residual = left_of(rows_of(values, held_), encode_held_ * seen);
  return fit;
}

CenterFit fit_center(const Context& ctx, const CenterSamples& samples) {
  return CenterModel(ctx, samples.dim, samples.places).fit(samples.values);
}

}  // namespace whorl::detail
