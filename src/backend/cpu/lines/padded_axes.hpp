// Code that the padded FFT and the convolution share: tables of the three axes and memory for each thread.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "backend/cpu/lines/padded_lines.hpp"
#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "kernels/padded_fft.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

/// The distance between rows, planes or grids of `points` points: an odd number of blocks of lines, so that neighbors
/// fall into different sets of the first-level cache.
inline Index padded_stride(Index points) {
  const Index blocks = divide_up(points, block_lines);
  return (blocks + 1 - blocks % 2) * block_lines;
}

/// How many of a batch of grids a convolution works on together: those that fit into a cache, of one core or of the cores
/// that share them.
inline Index convolution_grids(const Context& ctx, Index grid_bytes, Index batch) {
  constexpr Index bytes_of_core = Index{1} << 20;
  const Index bytes = ctx.threads() == 1 ? bytes_of_core : kernels::convolution_batch_bytes;
  return std::clamp<Index>(bytes / grid_bytes, 1, batch);
}

template <class Real>
class PaddedAxes {
 public:
  PaddedAxes(const std::array<Index, 3>& image, const std::array<Index, 3>& grid, bool centered)
      : image_(image), centered_(centered) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t same = 0; same < axis && !fft_[axis]; ++same) {
        if (grid[same] == grid[axis]) fft_[axis] = fft_[same];
      }
      if (!fft_[axis]) fft_[axis] = std::make_shared<const LineFft<Real>>(grid[axis]);
      scratch_ = std::max(scratch_, padded_lines_scratch(*fft_[axis]));
    }
  }

  PaddedAxis<Real> operator[](std::size_t axis) const {
    return {*fft_[axis], image_[axis], centered_ ? image_[axis] / 2 : 0};
  }
  const std::array<Index, 3>& image() const { return image_; }
  /// Grid point of a pixel.
  Index point(std::size_t axis, Index pixel) const {
    const Index half = centered_ ? image_[axis] / 2 : 0;
    return pixel >= half ? pixel - half : fft_[axis]->length - half + pixel;
  }

  /// Calls work(task, scratch) for each task; a task takes about `operations` elementary operations. Throws Cancelled.
  template <class Work>
  void for_each(const Context& ctx, Index tasks, Index operations, const Work& work) const {
    const int threads = threads_for(ctx, tasks * operations);
    Array<Real> memory(ctx, {threads, scratch_});
    detail::parallel_for(ctx, threads, "FFT", 0, tasks,
                         [&](Index task) { work(task, memory.data() + omp_get_thread_num() * scratch_); });
  }
  /// for_each with a place for block_lines lines of the image: work(task, lines, scratch).
  template <class Work>
  void for_each_with_lines(const Context& ctx, Index tasks, Index operations, const Work& work) const {
    const Index place = block_lines * image_[2];
    Array<std::complex<Real>> lines(ctx, {threads_for(ctx, tasks * operations), place});  // those of for_each
    for_each(ctx, tasks, operations,
             [&](Index task, Real* scratch) { work(task, lines.data() + omp_get_thread_num() * place, scratch); });
  }

 private:
  std::array<Index, 3> image_;
  bool centered_;
  std::array<std::shared_ptr<const LineFft<Real>>, 3> fft_;
  Index scratch_ = 0;
};

/// Calls visit(line, b, z, y) for a block of the lines [batch][z][y] of an image.
template <class Visit>
void for_each_line(Index block, Index lines, const std::array<Index, 3>& image, const Visit& visit) {
  const Index first = block * block_lines;
  for (Index line = first; line < std::min(lines, first + block_lines); ++line) {
    visit(line - first, line / (image[1] * image[0]), line / image[1] % image[0], line % image[1]);
  }
}

}  // namespace whorl::backend::cpu
