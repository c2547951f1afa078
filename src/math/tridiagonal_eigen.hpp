// Private: eigenvalues of a real symmetric tridiagonal matrix, and single eigenvectors of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::detail {

/// Memory of some bytes, aligned for numbers.
using MemorySource = std::function<std::shared_ptr<std::byte>(std::size_t)>;

/// The QL algorithm with implicit shifts. It keeps its plane rotations instead of their product: V = G_1 G_2 ... G_K,
/// whose columns are all eigenvectors, costs n^3; a column of it, G_1 (G_2 (... e)), costs n^2.
///
/// Accuracy  backward stable: an off-diagonal element counts as 0 where it is below the rounding of the largest element,
///           so that eigenvalues are exact to some roundings of the largest one
/// Source    Golub, Van Loan, Matrix Computations, 4th edition (2013), 8.3
template <class Real>
class TridiagonalEigen {
 public:
  TridiagonalEigen() = default;
  /// Its rotations, of which there are about as many as elements of a square matrix, are in memory of `source`, in blocks of
  /// 2^block_bits.
  TridiagonalEigen(MemorySource source, unsigned block_bits) : source_(std::move(source)), block_bits_(block_bits) {}

  /// Bytes of a rotation.
  static constexpr Index rotation_bytes = 2 * static_cast<Index>(sizeof(Real));

  /// Replaces `diagonal` by the eigenvalues, in no order, and destroys `below`, which has as many elements, the last
  /// unused. Calls `tick` for each eigenvalue. Returns whether all have converged, as they do for finite elements.
  template <class Tick>
  bool compute(std::span<Real> diagonal, std::span<Real> below, const Tick& tick) {
    steps_.clear();
    rotations_ = 0;
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
    Index last = rotations_;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      Real* above = rows + (step->last_row - step->count + 1) * count;
      for (const Index first = last - step->count; last > first;) {
        const Rotation rotation = rotation_at(--last);
        Real* const under = above + count;
        for (Index i = 0; i < count; ++i) {
          const Real a = above[i];
          const Real b = under[i];
          above[i] = rotation.cosine * a + rotation.sine * b;
          under[i] = rotation.cosine * b - rotation.sine * a;
        }
        above = under;
      }
    }
  }

 private:
  struct Rotation {
    Real cosine;
    Real sine;
  };
  // Rotations of rows `last_row` and last_row + 1, then of those before.
  struct Step {
    Index last_row;
    Index count;
  };

  const Rotation& rotation_at(Index number) const {
    const auto place = static_cast<std::size_t>(number);
    return blocks_[place >> block_bits_].get()[place & (of_block() - 1)];
  }

  void add(const Rotation& rotation) {
    const auto place = static_cast<std::size_t>(rotations_++);
    if (place >> block_bits_ == blocks_.size()) blocks_.push_back(new_block());
    blocks_[place >> block_bits_].get()[place & (of_block() - 1)] = rotation;
    ++steps_.back().count;
  }

  std::size_t of_block() const { return std::size_t{1} << block_bits_; }

  std::shared_ptr<Rotation> new_block() const {
    const std::size_t bytes = of_block() * sizeof(Rotation);
    const std::shared_ptr<std::byte> memory =
        source_ ? source_(bytes) : std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>());
    return {memory, reinterpret_cast<Rotation*>(memory.get())};
  }

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
    steps_.push_back({end - 1, 0});
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
      add({cosine, sine});
    }
    at(diagonal, first) -= shift;
    at(below, first) = g;
    at(below, end) = 0;
  }

  MemorySource source_;  // none: the heap
  unsigned block_bits_ = 8;
  std::vector<std::shared_ptr<Rotation>> blocks_;
  Index rotations_ = 0;
  std::vector<Step> steps_;
};

}  // namespace whorl::detail
