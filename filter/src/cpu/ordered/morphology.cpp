// The smallest or largest pixels of windows, on a CPU. Which kernel takes which window:
//
//   one rectangle        RectangleRows  goes down a part and keeps rows, so that each is widened along x only once
//   several rectangles   Extremes       one part of the image at a time, which stays in the second-level cache: the
//                                       rectangles of a disc, one after the other
//
// Both do point operations in their load and store. A window of 2^k numbers is the union of two of 2^(k - 1), so that
// the time grows with the logarithm of the radius.
#include "filter/src/kernels/ordered/morphology.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/image_parts.hpp"
#include "filter/src/cpu/ordered/combine_rows.hpp"
#include "filter/src/cpu/ordered/extreme_rows.hpp"
#include "filter/src/cpu/ordered/padded_row.hpp"
#include "filter/src/cpu/pieces.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Extremum;
using kernels::Rectangle;

// One rectangle: goes down a part row by row, with a ring of the rows of earlier steps.
template <class T>
class RectangleRows {
 public:
  using Key = kernels::Ordered<T>;

  /// For parts of at most `widest` places.
  RectangleRows(const ImageFormat& format, Extremum which, const Rectangle& rectangle, Index widest)
      : format_(format),
        channels_(count_of(format.channels)),
        which_(which),
        rectangle_(rectangle),
        down_(2 * rectangle.y + 1),
        along_(2 * rectangle.x + 1),
        stride_((widest + 2 * rectangle.x * channels_) / lanes * lanes + 2 * lanes) {}

  /// The number of keys of scratch memory for `filter`, which is aligned to vectors.
  Index memory() const { return (2 * rectangle_.y + 1) * stride_; }

  void filter(const Context& ctx, const ImagePart& part, const Slice<T>& source, const RowsOut<T>& out, bool stream,
              Key* row, T* spare) const {
    const Index width = part.width() + 2 * rectangle_.x * channels_;
    Index at[DoublingSteps::most] = {};
    Key* held[DoublingSteps::most] = {};
    for (Index y = part.top - rectangle_.y; y < part.bottom + rectangle_.y && !ctx.cancel_requested(); ++y) {
      source.load(y, part.left - rectangle_.x * channels_, width, row);
      Key* first = row + stride_;
      for (Index k = 0; k < down_.count; ++k) {
        held[k] = first + at[k] * stride_;
        first += down_.distances[k] * stride_;
        at[k] = at[k] + 1 == down_.distances[k] ? 0 : at[k] + 1;
      }
      extremes_down(which_, held, down_.count, width, row);
      const Index result = y - rectangle_.y;
      if (result < part.top) continue;
      out.put(part.slice * format_.height + result, part.left / channels_, part.width() / channels_, spare,
              [&](T* place) { extremes_along(which_, along_, channels_, part.width(), stream, row, place); });
    }
  }

 private:
  static constexpr auto lanes = extreme_slack_bytes / static_cast<Index>(sizeof(Key));

  const ImageFormat& format_;
  Index channels_;
  Extremum which_;
  Rectangle rectangle_;
  DoublingSteps down_, along_;
  Index stride_;
};

// Parts whose rows stay in the second-level cache, unless the window is large; they are as tall as possible.
template <class T>
void rectangle_extremum(const Context& ctx, const ImageFormat& format, Extremum which, const Rectangle& rectangle,
                        kernels::Edge<T> edge, const RowsIn<T>& in, const RowsOut<T>& out) {
  const int threads = ctx.threads();
  const Index channels = count_of(format.channels);
  constexpr Index held_bytes = 393216;
  constexpr Index widest_bytes = 49152;
  constexpr Index line_bytes = 64;
  constexpr Index tallest = 256;
  const Index wide_bytes =
      std::min(widest_bytes, held_bytes / (2 * rectangle.y + 1) / line_bytes * line_bytes) + line_bytes;
  const Index about = std::max(wide_bytes / static_cast<Index>(sizeof(T)), 16 * rectangle.x * channels);
  const Index wide = about / channels * channels;
  ImageParts parts{format.slices(), format.height, format.row(), tallest, wide};
  // Several parts for each thread, but not much lower than the number of rows before the first result.
  const Index places = format.slices() * parts.across();
  const Index fair = (format.height * places + Index{4} * threads - 1) / (Index{4} * threads * places);
  parts.tall = std::max({std::min(tallest, fair), 8 * rectangle.y, Index{16}});
  const bool stream = passes_caches<T>(format) && !out.are_made();
  const RectangleRows<T> rows(format, which, rectangle, std::min(wide, format.row()));
  Array<kernels::Ordered<T>> memory(ctx, {threads, rows.memory()});
  detail::parallel_threads(ctx, threads, parts.count(), [&](const auto& turns) {
    kernels::Ordered<T>* mine = memory.data() + omp_get_thread_num() * rows.memory();
    std::vector<T> spare(static_cast<std::size_t>(out.are_made() ? wide : 0));
    turns([&](Index i) {
      const ImagePart part = parts.part(i);
      rows.filter(ctx, part, slice_of(format, edge, in, part.slice), out, stream, mine, spare.data());
    });
  });
}

// In place, for steps that overwrite no number that they still need: calls step(distance) for each.
template <class Step>
void double_window(Index side, const Step& step) {
  const DoublingSteps steps(side);
  for (Index k = 0; k < steps.count; ++k) step(steps.distances[k]);
}

// A union of rectangles.
template <class T>
class Extremes {
 public:
  using Key = kernels::Ordered<T>;

  Extremes(const ImageFormat& format, Extremum which, const std::vector<Rectangle>& rectangles)
      : format_(format),
        channels_(count_of(format.channels)),
        combine_(which == Extremum::smallest ? &keep_smaller<Key> : &keep_larger<Key>),
        rectangles_(rectangles) {
    for (const Rectangle& rectangle : rectangles) {
      reach_.x = std::max(reach_.x, rectangle.x);
      reach_.y = std::max(reach_.y, rectangle.y);
    }
  }

  void filter(const Context& ctx, const ImagePart& part, const Slice<T>& source, const RowsOut<T>& out) {
    const Index width = part.width() + 2 * reach_.x * channels_;
    const Index rows = part.height() + 2 * reach_.y;
    stride_ = width + row_slack_bytes / static_cast<Index>(sizeof(Key));
    numbers_.resize(static_cast<std::size_t>(rows * stride_));
    for (Index y = 0; y < rows; ++y) {
      source.load(part.top - reach_.y + y, part.left - reach_.x * channels_, width, numbers_.data() + y * stride_);
    }
    for (std::size_t i = 0; i < rectangles_.size(); ++i) {
      if (ctx.cancel_requested()) return;
      std::vector<Key>& into = i == 0 ? extremes_ : work_;
      const Rectangle& rectangle = rectangles_[i];
      const Key* corner = numbers_.data() + (reach_.y - rectangle.y) * stride_ + (reach_.x - rectangle.x) * channels_;
      into.assign(corner, corner + (part.height() + 2 * rectangle.y - 1) * stride_ + part.width() +
                              2 * rectangle.x * channels_);
      into.resize(static_cast<std::size_t>((part.height() + 2 * rectangle.y) * stride_));
      window(into.data(), part, rectangle);
      if (i > 0) combine_(extremes_.data(), work_.data(), part.height() * stride_ - stride_ + part.width());
    }
    store(extremes_.data(), part, out);
  }

 private:
  // In place: each number becomes the extremum of the window whose corner is there.
  void window(Key* numbers, const ImagePart& part, const Rectangle& rectangle) const {
    const Index side_x = 2 * rectangle.x + 1;
    const Index side_y = 2 * rectangle.y + 1;
    for (Index y = 0; y < part.height() + side_y - 1; ++y) {
      Key* row = numbers + y * stride_;
      Index left = side_x;
      double_window(side_x, [&](Index distance) {
        left -= distance;
        combine_(row, row + distance * channels_, part.width() + (left - 1) * channels_);
      });
    }
    Index rows = part.height() + side_y - 1;
    double_window(side_y, [&](Index distance) {
      rows -= distance;
      for (Index y = 0; y < rows; ++y) {
        combine_(numbers + y * stride_, numbers + (y + distance) * stride_, part.width());
      }
    });
  }

  void store(const Key* numbers, const ImagePart& part, const RowsOut<T>& out) {
    if (out.are_made()) spare_.resize(static_cast<std::size_t>(part.width()));
    for (Index y = part.top; y < part.bottom; ++y) {
      out.put(part.slice * format_.height + y, part.left / channels_, part.width() / channels_, spare_.data(),
              [&](T* place) { store_row<T>(numbers + (y - part.top) * stride_, part.width(), place); });
    }
  }

  const ImageFormat& format_;
  Index channels_;
  void (*combine_)(Key*, const Key*, Index);
  const std::vector<Rectangle>& rectangles_;
  Rectangle reach_;
  Index stride_ = 0;
  std::vector<Key> numbers_, extremes_, work_;
  std::vector<T> spare_;
};

template <class T>
void window_extremum(const Context& ctx, const ImageFormat& format, Extremum which,
                     const std::vector<Rectangle>& rectangles, kernels::Edge<T> edge, const kernels::PointEnds& ends,
                     const void* from, void* to) {
  const Index channels = count_of(format.channels);
  const RowsIn<T> in(ends.load, from, format.width, channels);
  const RowsOut<T> out(ends.store, to, format.width, channels);
  if (rectangles.size() == 1) {
    return rectangle_extremum(ctx, format, which, rectangles.front(), edge, in, out);
  }
  Index reach = 0;
  for (const Rectangle& rectangle : rectangles) reach = std::max({reach, rectangle.x, rectangle.y});
  // Parts that stay in the second-level cache, unless the window is large.
  constexpr Index tall = 64;
  constexpr Index wide_bytes = 1024;
  const Index wide = std::max(wide_bytes / static_cast<Index>(sizeof(T)) / channels, 4 * reach) * channels;
  const ImageParts parts{format.slices(), format.height, format.row(), std::max(tall, 4 * reach), wide};
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    Extremes<T> extremes(format, which, rectangles);
    turns([&](Index i) {
      const ImagePart part = parts.part(i);
      extremes.filter(ctx, part, slice_of(format, edge, in, part.slice), out);
    });
  });
}

template <class T>
void subtract_piece(Index count, const T* a, const T* b, T* to) {
  for (Index i = 0; i < count; ++i) to[i] = static_cast<T>(a[i] - b[i]);
}

template <class T>
void subtract(const Context& ctx, Index count, const T* a, const T* b, T* to) {
  in_pieces(ctx, count,
            [=](Index first, Index last) { subtract_piece(last - first, a + first, b + first, to + first); });
}

}  // namespace

void register_morphology() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::subtract<T>.set(DeviceKind::cpu, subtract<T>);
    kernels::window_extremum<T>.set(DeviceKind::cpu, window_extremum<T>);
  });
}

}  // namespace whorl::backend::cpu
