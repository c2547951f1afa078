// Passes over the lines of several coils of one image. Lines are multiplied by the sensitivities on their way to the
// grids and summed over the coils on their way back, so that no coil image is stored.
#pragma once

#include "backend/cpu/coils/coil_products.hpp"
#include "backend/cpu/lines/padded_axes.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

/// Lines in blocks of a few rows of a few coils each, in the order [row][coil]. `line(image_line, coil, row)` returns
/// the place of a line on the grid; `work(lines, count, scratch)` transforms the lines of a block.
template <class Real>
class CoilLines {
 public:
  using Complex = std::complex<Real>;

  /// A block has up to `at_once` coils.
  CoilLines(const PaddedAxes<Real>& axes, const Complex* maps, Index coils, Index at_once)
      : axes_(axes),
        maps_(maps),
        coils_(coils),
        at_once_(at_once),
        rows_(axes.image()[0] * axes.image()[1]),
        points_(axes.image()[2]) {}

  /// map * image to the grids.
  template <class Line, class Work>
  void forward(const Context& ctx, const Complex* image, const Line& line, const Work& work) const {
    const Index blocks = row_blocks();
    axes_.for_each_with_lines(ctx, sets() * blocks, operations(), [&](Index task, Complex* place, Real* scratch) {
      PaddedLine<Real> list[block_lines];
      const Index count = for_each_line(task / blocks, task % blocks, [&](Index i, Index coil, Index row) {
        multiply_line(points_, map_line(coil, row), image + row * points_, place + i * points_);
        list[i] = line(place + i * points_, coil, row);
      });
      work(list, count, scratch);
    });
  }

  /// The sum over coils of conj(map) * the lines from the grids. With `add` it is added to the image.
  template <class Line, class Work>
  void adjoint(const Context& ctx, Complex* image, bool add, const Line& line, const Work& work) const {
    axes_.for_each_with_lines(
        ctx, row_blocks(), sets() * operations(), [&](Index block, Complex* place, Real* scratch) {
          const Index first = block * block_rows();
          if (!add)
            std::fill(image + first * points_, image + std::min(first + block_rows(), rows_) * points_, Complex(0));
          for (Index set = 0; set < sets(); ++set) {
            PaddedLine<Real> list[block_lines];
            const Index count = for_each_line(
                set, block, [&](Index i, Index coil, Index row) { list[i] = line(place + i * points_, coil, row); });
            work(list, count, scratch);
            for_each_line(set, block, [&](Index i, Index coil, Index row) {
              add_conjugate_products(points_, map_line(coil, row), place + i * points_, image + row * points_);
            });
          }
        });
  }

 private:
  Index block_rows() const { return block_lines / at_once_; }
  Index row_blocks() const { return divide_up(rows_, block_rows()); }
  Index sets() const { return divide_up(coils_, at_once_); }
  Index operations() const { return 4 * block_lines * axes_[2].fft.length; }
  const Complex* map_line(Index coil, Index row) const { return maps_ + (coil * rows_ + row) * points_; }

  // Calls visit(place in the list, coil, row) for the lines of a block and returns their number.
  template <class Visit>
  Index for_each_line(Index set, Index block, const Visit& visit) const {
    const Index last_row = std::min((block + 1) * block_rows(), rows_);
    const Index last_coil = std::min((set + 1) * at_once_, coils_);
    Index i = 0;
    for (Index row = block * block_rows(); row < last_row; ++row) {
      for (Index coil = set * at_once_; coil < last_coil; ++coil) visit(i++, coil, row);
    }
    return i;
  }

  const PaddedAxes<Real>& axes_;
  const Complex* maps_;
  Index coils_;
  Index at_once_;
  Index rows_;
  Index points_;
};

}  // namespace whorl::backend::cpu
