#include "backend/cpu/coils/signal_space.hpp"

#include <Eigen/Householder>
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "math/tridiagonal_eigen.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using detail::Matrix;
using detail::Vector;

// The columns are distributed to this many sums, so that rounding does not depend on the number of threads.
constexpr Eigen::Index eigen_parts = 16;

// Number of eigenvectors of the tridiagonal matrix that are computed at a time, and that a thread transforms back at a
// time.
constexpr Eigen::Index vectors_at_once = 16;
constexpr Eigen::Index vectors_of_thread = 64;

// Householder's reduction H_{n-2} ... H_0 A H_0 ... H_{n-2} = T with H_i = 1 - tau_i v_i v_i^H, v_i = 0 down to row i.
class Tridiagonalization {
 public:
  explicit Tridiagonalization(Matrix<double> matrix)
      : matrix_(std::move(matrix)),
        taus_(Vector<double>::Zero(matrix_.rows())),
        diagonal_(matrix_.rows()),
        below_(Eigen::VectorXd::Zero(matrix_.rows())),
        sums_(matrix_.rows(), eigen_parts),
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

  Eigen::VectorXd& diagonal() { return diagonal_; }
  Eigen::VectorXd& below() { return below_; }

  // Vectors of T become those of A: H_0 ... H_{n-2} x.
  void transform_back(Eigen::Ref<Matrix<double>> vectors) const {
    const Eigen::Index n = matrix_.rows();
    const Vector<double> taus = taus_.head(n - 1);
    vectors.applyOnTheLeft(Eigen::householderSequence(matrix_, taus).setLength(n - 1).setShift(1));
  }

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
#pragma omp parallel for num_threads(threads_for(ctx, 8 * length * length)) schedule(static)
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

  Matrix<double> matrix_;  // below the diagonal: the vectors of the reflections without their first element, 1
  Vector<double> taus_;
  Eigen::VectorXd diagonal_;
  Eigen::VectorXd below_;
  Matrix<double> sums_;
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
void make_vectors(const detail::TridiagonalEigen<double>& eigen, std::span<const Eigen::Index> places,
                  Eigen::Ref<Matrix<double>> vectors) {
  Eigen::Matrix<double, Eigen::Dynamic, vectors_at_once, Eigen::RowMajor> rows(vectors.rows(), vectors_at_once);
  const auto count = static_cast<Eigen::Index>(places.size());
  for (Eigen::Index first = 0; first < count; first += vectors_at_once) {
    const Eigen::Index here = std::min(vectors_at_once, count - first);
    rows.setZero();
    for (Eigen::Index i = 0; i < here; ++i) rows(places[static_cast<std::size_t>(first + i)], i) = 1;
    eigen.to_eigenvectors<vectors_at_once>(rows.data());
    vectors.middleCols(first, here) = rows.leftCols(here).template cast<std::complex<double>>();
  }
}

}  // namespace

LeadingEigenvectors leading_eigenvectors(const Context& ctx, Matrix<double> matrix, double limit) {
  const Eigen::Index n = matrix.rows();
  ProgressStage stage(ctx, "ESPIRiT: signal space", n + 1);
  Tridiagonalization tridiagonal(std::move(matrix));
  tridiagonal.reduce(ctx, stage);
  detail::TridiagonalEigen<double> eigen;
  Eigen::VectorXd& values = tridiagonal.diagonal();
  const auto size = static_cast<std::size_t>(n);
  if (!eigen.compute({values.data(), size}, {tridiagonal.below().data(), size}, [&] { ctx.check_cancel("ESPIRiT"); })) {
    throw ValueError("ESPIRiT: the eigenvalues of the calibration data did not converge; check the data");
  }
  const std::vector<Eigen::Index> places = leading_places(values, limit);
  const auto count = static_cast<Eigen::Index>(places.size());
  LeadingEigenvectors result{Matrix<double>(n, count), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) result.values(i) = values(places[static_cast<std::size_t>(i)]);

  const Eigen::Index round = vectors_of_thread * ctx.threads();
  for (Eigen::Index start = 0; start < count; start += round) {
    const Eigen::Index end = std::min(count, start + round);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Eigen::Index first = start; first < end; first += vectors_of_thread) {
      const Eigen::Index here = std::min(vectors_of_thread, end - first);
      make_vectors(eigen, {places.data() + first, static_cast<std::size_t>(here)},
                   result.vectors.middleCols(first, here));
      tridiagonal.transform_back(result.vectors.middleCols(first, here));
    }
    ctx.check_cancel("ESPIRiT");
  }
  stage.advance();
  return result;
}

}  // namespace whorl::backend::cpu
