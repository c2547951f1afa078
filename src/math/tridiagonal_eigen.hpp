// Private: eigenvalues of a real symmetric tridiagonal matrix, and single eigenvectors of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::detail {

/// The QL algorithm with implicit shifts. It keeps its plane rotations instead of their product: V = G_1 G_2 ... G_K,
/// whose columns are all eigenvectors, costs n^3; a column of it, G_1 (G_2 (... e)), costs n^2.
///
/// Accuracy  backward stable: an off-diagonal element counts as 0 where it is below the rounding of the largest element,
///           so that eigenvalues are exact to some roundings of the largest one
/// Source    Golub, Van Loan, Matrix Computations, 4th edition (2013), 8.3
template <class Real>
class TridiagonalEigen {
 public:
  /// Replaces `diagonal` by the eigenvalues, in no order, and destroys `below`, which has as many elements, the last
  /// unused. Calls `tick` for each eigenvalue. Returns whether all have converged, as they do for finite elements.
  template <class Tick>
  bool compute(std::span<Real> diagonal, std::span<Real> below, const Tick& tick) {
    rotations_.clear();
    const auto n = static_cast<Index>(diagonal.size());
    Real largest = 0;
    for (Index i = 0; i < n; ++i) {
      largest = std::max({largest, std::abs(at(diagonal, i)), i + 1 < n ? std::abs(at(below, i)) : Real(0)});
    }
    const Real negligible = std::numeric_limits<Real>::epsilon() / 2 * largest;
    bool converged = true;
    for (Index first = 0; first < n; ++first) {
      tick();
      converged &= deflate(diagonal, below, first, negligible);
    }
    return converged;
  }

  /// Turns unit vectors to eigenvectors: `rows` [n, count], of which each column is a unit vector e_j before, and the
  /// eigenvector of the eigenvalue j after it.
  template <Index count>
  void to_eigenvectors(Real* rows) const {
    for (auto rotation = rotations_.rbegin(); rotation != rotations_.rend(); ++rotation) {
      Real* above = rows + rotation->row * count;
      Real* under = above + count;
      for (Index i = 0; i < count; ++i) {
        const Real a = above[i];
        const Real b = under[i];
        above[i] = rotation->cosine * a + rotation->sine * b;
        under[i] = rotation->cosine * b - rotation->sine * a;
      }
    }
  }

 private:
  struct Rotation {  // of rows `row` and row + 1
    Index row;
    Real cosine;
    Real sine;
  };

  static Real& at(std::span<Real> values, Index i) { return values[static_cast<std::size_t>(i)]; }

  // Steps until element `first` of the diagonal stands alone.
  bool deflate(std::span<Real> diagonal, std::span<Real> below, Index first, Real negligible) {
    constexpr int most_steps = 60;  // two on average
    const auto n = static_cast<Index>(diagonal.size());
    for (int step = 0; step < most_steps; ++step) {
      Index end = first;
      while (end + 1 < n && !(std::abs(at(below, end)) <= negligible)) ++end;
      if (end == first) return true;
      take_step(diagonal, below, first, end);
    }
    return false;
  }

  // One step on rows first to end, with Wilkinson's shift.
  void take_step(std::span<Real> diagonal, std::span<Real> below, Index first, Index end) {
    const Real half = (at(diagonal, first + 1) - at(diagonal, first)) / (2 * at(below, first));
    Real g = at(diagonal, end) - at(diagonal, first) +
             at(below, first) / (half + std::copysign(std::hypot(half, Real(1)), half));
    Real sine = 1;
    Real cosine = 1;
    Real shift = 0;
    for (Index i = end - 1; i >= first; --i) {
      const Real f = sine * at(below, i);
      const Real b = cosine * at(below, i);
      const Real length = std::hypot(f, g);
      at(below, i + 1) = length;
      if (length == 0) {
        at(diagonal, i + 1) -= shift;
        at(below, end) = 0;
        return;
      }
      sine = f / length;
      cosine = g / length;
      g = at(diagonal, i + 1) - shift;
      const Real r = (at(diagonal, i) - g) * sine + 2 * cosine * b;
      shift = sine * r;
      at(diagonal, i + 1) = g + shift;
      g = cosine * r - b;
      rotations_.push_back({i, cosine, sine});
    }
    at(diagonal, first) -= shift;
    at(below, first) = g;
    at(below, end) = 0;
  }

  std::vector<Rotation> rotations_;
};

}  // namespace whorl::detail
