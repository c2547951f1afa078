// The part of the exact transform of a grid on the host, for both precisions. For .cu files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "backend/cuda/exact/dft_tuning.hpp"
#include "backend/cuda/exact/grid_tables.cuh"
#include "backend/cuda/exact/parts.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/dft.hpp"
#include "whorl/core/error.hpp"

namespace whorl::backend::cuda {

/// The layout of an image [z, y, x], its pairs padded to a multiple.
inline GridLayout layout_of(const std::array<Index, 3>& image, Index pairs_multiple) {
  const auto [nz, ny, nx] = image;
  GridLayout grid{};
  grid.nx = static_cast<int>(nx);
  grid.rows = static_cast<int>(nz * ny);
  if (nz == 1 || ny == 1) {
    grid.inner = 8;
    grid.outer = static_cast<int>(divide_up(grid.rows, 8));
    grid.inner_axis = grid.outer_axis = nz == 1 ? 1 : 2;
    grid.outer_step = 8;
    grid.outer_begin = 0;
    grid.inner_begin = -(grid.rows / 2);
  } else {
    grid.inner = static_cast<int>(ny);
    grid.outer = static_cast<int>(nz);
    grid.inner_axis = 1;
    grid.outer_axis = 2;
    grid.outer_step = 1;
    grid.outer_begin = -(grid.outer / 2);
    grid.inner_begin = -(grid.inner / 2);
  }
  grid.outer_padded = static_cast<int>(round_up(grid.outer, tuning::grid_outer));
  grid.inner_padded = static_cast<int>(round_up(grid.inner, 8));
  grid.pairs_padded = static_cast<int>(round_up(grid.pairs(), pairs_multiple));
  return grid;
}

/// Memory for `count` elements of T, which need not be an element type of arrays.
template <class T>
class Scratch {
 public:
  Scratch(const Context& ctx, Index count) : bytes_(ctx, {count * static_cast<Index>(sizeof(T))}) {}
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }

 private:
  Array<std::byte> bytes_;
};

/// The samples, divided into runs whose tables are made together.
class SampleRuns {
 public:
  SampleRuns(ArrayRef<const double> points, Index multiple)
      : points_(points), multiple_(multiple), most_(std::min<Index>(points.extent(0), tuning::samples_at_once)) {}

  Index padded() const { return std::max(multiple_, round_up(most_, multiple_)); }

  template <class Use>
  void for_each(const Context& ctx, const Use& use) const {
    const Index total = points_.extent(0);
    for (Index first = 0; first < std::max<Index>(total, 1); first += tuning::samples_at_once) {
      ctx.check_cancel("dft");
      const Index count = std::min<Index>(total - first, tuning::samples_at_once);
      use(SampleRange{points_.data(), static_cast<int>(points_.extent(1)), first, static_cast<int>(count),
                      static_cast<int>(std::max(multiple_, round_up(count, multiple_)))});
    }
  }

 private:
  ArrayRef<const double> points_;
  Index multiple_;
  Index most_;
};

/// The tables of row_factors.
template <class Real>
class RowFactors {
 public:
  RowFactors(const Context& ctx, const GridLayout& grid, Index padded)
      : outer_(ctx, grid.outer_padded * padded), inner_(ctx, grid.inner_padded * padded) {}

  void fill(const Context& ctx, const GridLayout& grid, const SampleRange& samples) {
    const Index count = Index{grid.outer_padded + grid.inner_padded} * samples.padded;
    launch_loop(ctx, "row_factors", row_factors<Real>, count, grid, samples, outer_.data(), inner_.data());
  }

  const Complex2<Real>* outer() { return outer_.data(); }
  const Complex2<Real>* inner() { return inner_.data(); }

 private:
  Scratch<Complex2<Real>> outer_;
  Scratch<Complex2<Real>> inner_;
};

}  // namespace whorl::backend::cuda
