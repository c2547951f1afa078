// Parts of an image, and the rows that stencils read and write for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "filter/src/cpu/points/point_ends.hpp"
#include "filter/src/cpu/windows/tap_sums.hpp"
#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::backend::cpu {

/// Results [first, first + count) of the rows [top, top + rows) of a slice.
struct Part {
  Index slice, top, rows, first, count;
};

template <class T>
struct Job {
  const ImageFormat& format;
  const kernels::Stencil& stencil;
  const RowsIn<T>& in;
  Index channels;
  Index pitch;  // of rows of summands

  Index halo() const { return (stencil.width - 1) * channels; }
  T border_value() const { return static_cast<T>(stencil.border_value); }
};

/// The numbers of row y that a row of results needs; y may lie outside the image.
template <class T>
void load_row(const Job<T>& job, const Part& part, Index y, T* to) {
  const ImageFormat& format = job.format;
  const Index count = part.count + job.halo();
  const Index source = border_index(job.stencil.border, y, format.height);
  if (source < 0) {
    std::fill(to, to + count, job.border_value());
    return;
  }
  const Index row = part.slice * format.height + source;
  const Index start = part.first - job.halo() / 2;
  const Index inside = std::clamp<Index>(start, 0, format.row());
  const Index beyond = std::clamp<Index>(start + count, inside, format.row());
  const Index channels = job.channels;
  job.in.load(row, inside / channels, (beyond - inside) / channels, to + (inside - start));
  const auto outside = [&](Index from, Index end) {
    for (Index i = from; i < end; i += channels) {
      const Index at = border_index(job.stencil.border, i / channels, format.width);
      if (at < 0) {
        std::fill_n(to + (i - start), channels, job.border_value());
      } else {
        job.in.load(row, at, 1, to + (i - start));
      }
    }
  };
  outside(start, std::min(inside, start + count));
  outside(std::max(beyond, start), start + count);
}

/// Whether all columns that a part needs are inside the image, including the numbers that may be read after them.
template <class T>
bool lies_inside(const Job<T>& job, const Part& part) {
  return !job.in.are_made() && part.first >= job.halo() / 2 &&
         part.first + part.count + job.halo() / 2 + static_cast<Index>(tap_slack) <= job.format.row();
}

/// The numbers in place if all are inside the image; otherwise they are loaded to `spare`.
template <class T>
const T* row_at(const Job<T>& job, const Part& part, Index y, T* spare) {
  const ImageFormat& format = job.format;
  if (y >= 0 && y < format.height && lies_inside(job, part)) {
    return job.in.row(part.slice * format.height + y) + part.first - job.halo() / 2;
  }
  load_row(job, part, y, spare);
  return spare;
}

/// The places for rows of results: in the result, or in scratch memory for rows below the part.
template <class Out>
class Rows {
 public:
  Rows(Out* to, Index stride, const Part& part)
      : to_(to), stride_(stride), rows_(part.rows), unused_(static_cast<std::size_t>(part.count)) {}

  Out* operator()(Index row) { return row < rows_ ? to_ + row * stride_ : unused_.data(); }

 private:
  Out* to_;
  Index stride_;
  Index rows_;
  std::vector<Out> unused_;
};

}  // namespace whorl::backend::cpu
