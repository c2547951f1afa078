// Private: the leading eigenvectors of a large Hermitian matrix.
#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "math/matrix_types.hpp"
#include "math/tridiagonal_eigen.hpp"
#include "whorl/core/array.hpp"

namespace whorl::detail {

/// A large matrix in the memory of the context: [column, row].
using MatrixArray = Array<std::complex<double>>;
using MatrixMap = Eigen::Map<Matrix<double>>;
using ConstMatrixMap = Eigen::Map<const Matrix<double>>;

inline MatrixMap as_matrix(MatrixArray& array) { return {array.data(), array.extent(1), array.extent(0)}; }
inline ConstMatrixMap as_matrix(const MatrixArray& array) { return {array.data(), array.extent(1), array.extent(0)}; }

/// The eigenvectors of a Hermitian matrix [n, n] without negative eigenvalues whose eigenvalues are at least `limit` times the
/// largest one. Only the lower triangle of the matrix is read; it is destroyed.
///
/// Householder reflections make the matrix tridiagonal. One pass over the matrix applies a reflection and multiplies
/// the matrix by the vector of the next one. Only the wanted eigenvectors of the tridiagonal matrix are transformed
/// back, some at a time. The sums do not depend on the number of threads.
///
/// Accuracy  eigenvalues to rounding of the largest eigenvalue; the space of the vectors to this over the gap of the
///           eigenvalues at the limit
/// Progress  one stage of the title; Cancelled is thrown between its steps
/// Throws    ValueError (values that are not finite)
/// Source    Golub, Van Loan, Matrix Computations, 4th edition (2013), 8.3
class LeadingEigenvectors {
 public:
  LeadingEigenvectors(const Context& ctx, const std::string& title, MatrixArray matrix, double limit);

  Index size() const { return matrix_.extent(0); }
  Index count() const { return std::ssize(places_); }
  /// Falling.
  double value(Index number) const { return values_(places_[static_cast<std::size_t>(number)]); }
  /// Writes vectors from number `first` on to columns, orthonormal, in the order of the values. Runs in the calling thread.
  void write(Index first, Eigen::Ref<Matrix<double>> vectors) const;

  /// Bytes in the context's memory beside the matrix: the rotations by which the tridiagonal matrix became diagonal.
  static Index most_bytes(Index size);

 private:
  MatrixArray matrix_;  // below the diagonal: the vectors of the reflections without their first element, 1
  Vector<double> taus_;
  Eigen::VectorXd values_;  // in no order
  std::vector<Eigen::Index> places_;
  TridiagonalEigen<double> eigen_;
};

}  // namespace whorl::detail
