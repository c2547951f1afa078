#include "math/leading_eigenvectors.hpp"

#include <Eigen/Householder>
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "math/tridiagonal_eigen.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::detail {

namespace {

// The columns are distributed to this many sums, so that rounding does not depend on the number of threads.
constexpr Eigen::Index eigen_parts = 16;

// Number of eigenvectors of the tridiagonal matrix that are computed at a time.
constexpr Eigen::Index columns_at_once = 16;

constexpr unsigned rotation_block_bits = 11;

// A loop of fewer operations takes less time than waking threads does.
constexpr Eigen::Index least_shared = 1 << 16;

// Householder's reduction H_{n-2} ... H_0 A H_0 ... H_{n-2} = T with H_i = 1 - tau_i v_i v_i^H, v_i = 0 down to row i.
class Tridiagonalization {
 public:
  Tridiagonalization(const Context& ctx, MatrixArray& matrix)
      : matrix_(as_matrix(matrix)),
        taus_(Vector<double>::Zero(matrix_.rows())),
        diagonal_(matrix_.rows()),
        below_(Eigen::VectorXd::Zero(matrix_.rows())),
        sums_array_(ctx, {eigen_parts, matrix_.rows()}),
        sums_(as_matrix(sums_array_)),
        product_(Vector<double>::Zero(matrix_.rows())) {}

  void reduce(const Context& ctx, ProgressStage& stage) {
    const Eigen::Index n = matrix_.rows();
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i > 0) subtract_reflection(i - 1, i);
      diagonal_(i) = matrix_(i, i).real();
      if (i + 1 < n) reflect(ctx, i);
      stage.advance();
    }
  }

  Vector<double>& taus() { return taus_; }
  Eigen::VectorXd& diagonal() { return diagonal_; }
  Eigen::VectorXd& below() { return below_; }

 private:
  // Subtracts the change of reflection number `step`, v w^H + w v^H, from a column.
  void subtract_reflection(Eigen::Index step, Eigen::Index column) {
    const Eigen::Index length = matrix_.rows() - column;
    auto rest = matrix_.col(column).tail(length);
    // The first element of v is 1. Its place in the matrix holds another number.
    if (column == step + 1) {
      rest(0) -= 2 * product_(column).real();
      rest.tail(length - 1) -=
          matrix_.col(step).tail(length - 1) * std::conj(product_(column)) + product_.tail(length - 1);
      return;
    }
    rest -= matrix_.col(step).tail(length) * std::conj(product_(column)) +
            product_.tail(length) * std::conj(matrix_(column, step));
  }

  // Reduces column i, which is up to date, to the diagonal and the element below it. Applies the previous reflection to
  // the columns after it, and multiplies them by the vector of the new reflection.
  void reflect(const Context& ctx, Eigen::Index i) {
    const Eigen::Index n = matrix_.rows();
    const Eigen::Index length = n - i - 1;
    double beta = 0;
    std::complex<double> tau = 0;
    matrix_.col(i).tail(length).makeHouseholderInPlace(tau, beta);
    below_(i) = beta;
    taus_(i) = std::conj(tau);
    Vector<double> v = matrix_.col(i).tail(length);
    v(0) = 1;
    const int threads = 8 * length * length >= least_shared ? ctx.threads() : 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Eigen::Index part = 0; part < eigen_parts; ++part) {
      auto sum = sums_.col(part).tail(length);
      sum.setZero();
      for (Eigen::Index column = i + 1 + part; column < n; column += eigen_parts) {
        if (i > 0) subtract_reflection(i - 1, column);
        const Eigen::Index from = column - i - 1;
        const Eigen::Index under = n - column - 1;
        const auto lower = matrix_.col(column).tail(under);
        sum(from) += matrix_(column, column).real() * v(from) + lower.dot(v.tail(under));
        sum.tail(under) += lower * v(from);
      }
    }
    // w = p - (tau v^H p / 2) v with p = tau^* A v, so that H A H^H = A - v w^H - w v^H.
    auto w = product_.tail(length);
    w = sums_.bottomRows(length).rowwise().sum() * std::conj(tau);
    w -= (0.5 * std::conj(tau) * w.dot(v)) * v;
  }

  MatrixMap matrix_;
  Vector<double> taus_;
  Eigen::VectorXd diagonal_;
  Eigen::VectorXd below_;
  MatrixArray sums_array_;
  MatrixMap sums_;
  Vector<double> product_;  // w of the last reflection
};

// Indices of the values that are at least limit times the largest one, in falling order.
std::vector<Eigen::Index> leading_places(const Eigen::VectorXd& values, double limit) {
  std::vector<Eigen::Index> places(static_cast<std::size_t>(values.size()));
  std::iota(places.begin(), places.end(), Eigen::Index{0});
  std::stable_sort(places.begin(), places.end(), [&](Eigen::Index a, Eigen::Index b) { return values(a) > values(b); });
  const double least = limit * values(places.front());
  const auto end = std::find_if(places.begin(), places.end(), [&](Eigen::Index i) { return !(values(i) >= least); });
  places.erase(end, places.end());
  return places;
}

// The eigenvectors of the tridiagonal matrix with these indices.
void make_vectors(const TridiagonalEigen<double>& eigen, std::span<const Eigen::Index> places,
                  Eigen::Ref<Matrix<double>> vectors) {
  Eigen::Matrix<double, Eigen::Dynamic, columns_at_once, Eigen::RowMajor> rows(vectors.rows(), columns_at_once);
  const auto count = static_cast<Eigen::Index>(places.size());
  for (Eigen::Index first = 0; first < count; first += columns_at_once) {
    const Eigen::Index here = std::min(columns_at_once, count - first);
    rows.setZero();
    for (Eigen::Index i = 0; i < here; ++i) rows(places[static_cast<std::size_t>(first + i)], i) = 1;
    eigen.to_eigenvectors<columns_at_once>(rows.data());
    vectors.middleCols(first, here) = rows.leftCols(here).template cast<std::complex<double>>();
  }
}

}  // namespace

LeadingEigenvectors::LeadingEigenvectors(const Context& ctx, const std::string& title, MatrixArray matrix, double limit)
    : matrix_(std::move(matrix)),
      eigen_([pool = ctx.pool()](std::size_t bytes) mutable { return pool.allocate(bytes); }, rotation_block_bits) {
  const Eigen::Index n = matrix_.extent(0);
  ProgressStage stage(ctx, title, n);
  Tridiagonalization tridiagonal(ctx, matrix_);
  tridiagonal.reduce(ctx, stage);
  taus_ = tridiagonal.taus().head(n - 1);
  values_ = std::move(tridiagonal.diagonal());
  const auto size = static_cast<std::size_t>(n);
  if (!eigen_.compute({values_.data(), size}, {tridiagonal.below().data(), size}, [&] { ctx.check_cancel(title); })) {
    throw ValueError(title + ": the eigenvalues did not converge; check the data for values that are not finite");
  }
  places_ = leading_places(values_, limit);
}

void LeadingEigenvectors::write(Index first, Eigen::Ref<Matrix<double>> vectors) const {
  const std::span<const Eigen::Index> places(places_);
  make_vectors(eigen_, places.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(vectors.cols())),
               vectors);
  // Vectors of T become those of A: H_0 ... H_{n-2} x.
  const ConstMatrixMap reflections = as_matrix(matrix_);
  vectors.applyOnTheLeft(Eigen::householderSequence(reflections, taus_).setLength(taus_.size()).setShift(1));
}

// The QL algorithm takes two steps for each eigenvalue on average, of as many rotations as rows are left.
Index LeadingEigenvectors::most_bytes(Index size) {
  constexpr Index of_block = Index{1} << rotation_block_bits;
  return round_up(size * size, of_block) * TridiagonalEigen<double>::rotation_bytes;
}

}  // namespace whorl::detail
