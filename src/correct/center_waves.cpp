#include "correct/center_waves.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "math/column_product.hpp"

namespace whorl::detail {

namespace {

// exp(2 pi i k n step) of each sample for n from -reach to reach, by powers; each multiplication adds one rounding.
Matrix<double> phases(const CenterPlaces& places, std::size_t axis, Index reach, double step) {
  Matrix<double> all(static_cast<Index>(places.size()), 2 * reach + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const std::complex<double> turn = std::polar(1.0, 2 * std::numbers::pi * places[i][axis] * step);
    all(row, reach) = 1;
    for (Index n = 1; n <= reach; ++n) {
      all(row, reach + n) = all(row, reach + n - 1) * turn;
      all(row, reach - n) = std::conj(all(row, reach + n));
    }
  }
  return all;
}

// sum_j x[j, a] y[j, b]
Matrix<double> plain_products(const Eigen::MatrixXd& x, const Matrix<double>& y) {
  const Eigen::MatrixXd parts = column_product(x, real_columns(y));
  const Index rows = x.cols() / 2;
  Matrix<double> products(rows, y.cols());
  products.real() = parts.topLeftCorner(rows, y.cols()) - parts.bottomRightCorner(rows, y.cols());
  products.imag() = parts.topRightCorner(rows, y.cols()) + parts.bottomLeftCorner(rows, y.cols());
  return products;
}

Index voxels_of(int dim, Index grid) { return dim == 3 ? grid * grid * grid : grid * grid; }

}  // namespace

Eigen::MatrixXd real_columns(const Matrix<double>& columns) {
  Eigen::MatrixXd result(columns.rows(), 2 * columns.cols());
  result << columns.real(), columns.imag();
  return result;
}

Matrix<double> complex_columns(const Eigen::MatrixXd& columns) {
  const Index half = columns.cols() / 2;
  Matrix<double> result(columns.rows(), half);
  result.real() = columns.leftCols(half);
  result.imag() = columns.rightCols(half);
  return result;
}

Eigen::MatrixXd center_waves(int dim, const CenterPlaces& places, Index grid) {
  const double step = 1 / static_cast<double>(grid);
  const Index reach = (grid - 1) / 2;
  Matrix<double> below = phases(places, 0, reach, step);  // of all axes but the last
  if (dim == 3) {
    const Matrix<double> y = phases(places, 1, reach, step);
    Matrix<double> product(below.rows(), grid * grid);
    for (Index n = 0; n < grid; ++n) {
      product.middleCols(n * grid, grid) = below.array().colwise() * y.col(n).array();
    }
    below = std::move(product);
  }
  const Matrix<double> last = phases(places, static_cast<std::size_t>(dim - 1), reach, step);
  const Index voxels = voxels_of(dim, grid);
  const double scale = 1 / std::sqrt(static_cast<double>(voxels));
  Eigen::MatrixXd waves(below.rows(), voxels);
  for (Index v = 0; v < voxels / 2; ++v) {
    const Vector<double> turned = below.col(v % below.cols()).cwiseProduct(last.col(v / below.cols()));
    waves.col(v) = std::numbers::sqrt2 * scale * turned.real();
    waves.col(voxels - 1 - v) = std::numbers::sqrt2 * scale * turned.imag();
  }
  waves.col(voxels / 2).setConstant(scale);
  return waves;
}

Matrix<double> voxels_of_waves(const Matrix<double>& waves) {
  constexpr std::complex<double> i(0, 1);
  Matrix<double> voxels = waves;
  for (Index v = 0, other = waves.rows() - 1; v < other; ++v, --other) {
    voxels.row(v) = (waves.row(v) + i * waves.row(other)) / std::numbers::sqrt2;
    voxels.row(other) = (waves.row(v) - i * waves.row(other)) / std::numbers::sqrt2;
  }
  return voxels;
}

Matrix<double> waves_of_voxels(const Matrix<double>& voxels) {
  constexpr std::complex<double> i(0, 1);
  Matrix<double> waves = voxels;
  for (Index v = 0, other = voxels.rows() - 1; v < other; ++v, --other) {
    waves.row(v) = (voxels.row(v) + voxels.row(other)) / std::numbers::sqrt2;
    waves.row(other) = (voxels.row(v) - voxels.row(other)) / (i * std::numbers::sqrt2);
  }
  return waves;
}

Eigen::MatrixXd moved_waves(int dim, const Eigen::MatrixXd& columns, Index grid, int axis) {
  const auto stride = static_cast<Index>(std::pow(grid, axis));
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(columns.rows(), columns.cols());
  for (Index v = 0, other = voxels_of(dim, grid) - 1; v < other; ++v, --other) {
    const Index place = v / stride % grid - (grid - 1) / 2;
    const double turn = 2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(grid);
    // -d/dk of cos(2 pi k r) u + sin(2 pi k r) w
    moved.row(v) = -turn * columns.row(other);
    moved.row(other) = turn * columns.row(v);
  }
  return moved;
}

CenterGram::CenterGram(int dim, const CenterPlaces& places, Index grid)
    : dim_(dim), grid_(grid), voxels_(voxels_of(dim, grid)) {
  const double step = 1 / static_cast<double>(grid);
  const Index wide = 2 * grid - 1;
  // Sums of opposite differences are conjugates: those along x are computed from 0 on.
  const Eigen::MatrixXd x = real_columns(phases(places, 0, grid - 1, step).rightCols(grid));
  const Matrix<double> y = phases(places, 1, grid - 1, step);
  sums_.resize(grid, dim == 3 ? wide * wide : wide);
  if (dim == 3) {
    const Matrix<double> z = phases(places, 2, grid - 1, step);
    for (Index n = 0; n < wide; ++n) {
      const Matrix<double> turned = y.array().colwise() * z.col(n).array();
      sums_.middleCols(n * wide, wide) = plain_products(x, turned);
    }
  } else {
    sums_ = plain_products(x, y);
  }
}

std::array<Index, 3> CenterGram::steps(Index voxel) const {
  const Index middle = (grid_ - 1) / 2;
  return {voxel % grid_ - middle, voxel / grid_ % grid_ - middle, dim_ == 3 ? voxel / (grid_ * grid_) - middle : 0};
}

std::complex<double> CenterGram::sum(const std::array<Index, 3>& a, Index sign, const std::array<Index, 3>& b) const {
  const Index x = a[0] + sign * b[0];
  const Index turn = x < 0 ? -1 : 1;
  const Index y = turn * (a[1] + sign * b[1]) + grid_ - 1;
  const Index z = dim_ == 3 ? turn * (a[2] + sign * b[2]) + grid_ - 1 : 0;
  const std::complex<double> found = sums_(turn * x, z * (2 * grid_ - 1) + y);
  return x < 0 ? std::conj(found) : found;
}

Matrix<double> CenterGram::of_voxels() const {
  Matrix<double> gram(voxels_, voxels_);
  for (Index b = 0; b < voxels_; ++b) {
    const std::array<Index, 3> at_b = steps(b);
    for (Index a = 0; a < voxels_; ++a) gram(a, b) = sum(steps(a), -1, at_b) / static_cast<double>(voxels_);
  }
  return gram;
}

// Products of cosines and sines are sums of those of sums and differences of their arguments.
Eigen::MatrixXd CenterGram::of_waves() const {
  const Index middle = voxels_ / 2;
  const double part = 1 / static_cast<double>(voxels_);
  Eigen::MatrixXd gram(voxels_, voxels_);
  for (Index b = 0; b <= middle; ++b) {
    const std::array<Index, 3> at_b = steps(b);
    for (Index a = 0; a <= middle; ++a) {
      const std::array<Index, 3> at_a = steps(a);
      const std::complex<double> difference = part * sum(at_a, -1, at_b);
      const std::complex<double> both = part * sum(at_a, 1, at_b);
      const Index sine_a = voxels_ - 1 - a;
      const Index sine_b = voxels_ - 1 - b;
      if (a != middle && b != middle) gram(sine_a, sine_b) = difference.real() - both.real();
      if (a != middle) gram(sine_a, b) = both.imag() + difference.imag();
      if (b != middle) gram(a, sine_b) = both.imag() - difference.imag();
      gram(a, b) = both.real() + difference.real();
    }
  }
  // The center's wave is 1, not sqrt(2) cos.
  gram.row(middle) /= std::numbers::sqrt2;
  gram.col(middle) /= std::numbers::sqrt2;
  return gram;
}

}  // namespace whorl::detail
