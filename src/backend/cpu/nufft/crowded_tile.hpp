// Sums of many samples in single precision, in blocks of bounded length.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "backend/cpu/nufft/gridding_tiles.hpp"

namespace whorl::backend::cpu {

/// A tile to which the loops add in single precision, and its sums in double. After most_summed_in_cell samples of one
/// cell, or most_summed_samples in all, the touched points are added to the sums and cleared.
template <int Dim>
class CrowdedTile {
 public:
  /// The tile [groups][stride] must be zero; `sums` are [groups][point of the tile][number], with `per_point` numbers
  /// per point.
  CrowdedTile(const Tile<Dim>& tile, int width, Index per_point, Index groups, float* values, Index stride,
              double* sums)
      : extent_(tile.extent), width_(width), per_point_(per_point), groups_(groups), values_(values), stride_(stride) {
    numbers_ = per_point;
    for (const Index extent : tile.extent) numbers_ *= extent;
    sums_ = sums;
    std::fill_n(sums, numbers_ * groups, 0.0);
    forget();
  }

  /// Calls spread(first, count) for ranges of a part's samples, which are in the order of their cells.
  template <class Spread>
  void add(const TileSample<float, Dim>* samples, Index count, const Spread& spread) {
    for (Index first = 0; first < count;) {
      const Index most = std::min(count - first, most_summed_samples - pending_);
      Index in_cell = 0;
      Index taken = 0;
      while (taken < most && in_cell < most_summed_in_cell) {
        const auto& start = samples[first + taken].start;
        in_cell = taken > 0 && start == samples[first + taken - 1].start ? in_cell + 1 : 1;
        for (std::size_t axis = 0; axis < Dim; ++axis) {
          low_[axis] = std::min<Index>(low_[axis], start[axis]);
          high_[axis] = std::max<Index>(high_[axis], start[axis]);
        }
        ++taken;
      }
      spread(first, taken);
      first += taken;
      pending_ += taken;
      if (in_cell == most_summed_in_cell || pending_ == most_summed_samples) empty();
    }
  }

  /// Sums of all samples that were added.
  const double* finish() {
    if (pending_ > 0) empty();
    return sums_;
  }

 private:
  void forget() {
    low_.fill(std::numeric_limits<Index>::max());
    high_.fill(0);
    pending_ = 0;
  }

  void empty() {
    const Index first_plane = Dim == 3 ? low_[Dim - 1] : 0;
    const Index planes = Dim == 3 ? high_[Dim - 1] - first_plane + width_ : 1;
    const Index first_row = Dim >= 2 ? low_[Dim >= 2 ? 1 : 0] : 0;
    const Index rows = Dim >= 2 ? high_[Dim >= 2 ? 1 : 0] - first_row + width_ : 1;
    const Index rows_of_tile = Dim >= 2 ? extent_[Dim >= 2 ? 1 : 0] : 1;
    const Index length = per_point_ * (high_[0] - low_[0] + width_);
    for (Index g = 0; g < groups_; ++g) {
      for (Index z = first_plane; z < first_plane + planes; ++z) {
        for (Index y = first_row; y < first_row + rows; ++y) {
          const Index row = per_point_ * ((z * rows_of_tile + y) * extent_[0] + low_[0]);
          float* const from = values_ + g * stride_ + row;
          double* const to = sums_ + g * numbers_ + row;
#pragma omp simd
          for (Index i = 0; i < length; ++i) to[i] += static_cast<double>(from[i]);
          std::fill_n(from, length, 0.0F);
        }
      }
    }
    forget();
  }

  std::array<Index, Dim> extent_;
  Index width_;
  Index per_point_;
  Index groups_;
  float* values_;
  Index stride_;
  double* sums_;
  Index numbers_;
  // The range of first cells of the samples that are in single precision only, and the number of these samples.
  std::array<Index, Dim> low_;
  std::array<Index, Dim> high_;
  Index pending_;
};

}  // namespace whorl::backend::cpu
