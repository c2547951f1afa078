// Access of kernels to rows of images: directly, or through point operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "filter/src/cpu/points/points.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::backend::cpu {

/// Rows of `width` pixels of `channels` numbers T. Rows are counted through all slices.
template <class T>
class RowsIn {
 public:
  RowsIn(const kernels::PointCode* load, const void* from, Index width, Index channels)
      : load_(load),
        from_(static_cast<const std::byte*>(from)),
        pixel_bytes_(load != nullptr ? static_cast<Index>(bytes_of(load->from)) * load->channels_from
                                     : static_cast<Index>(sizeof(T)) * channels),
        width_(width),
        channels_(channels) {}

  /// Whether there is a load, so that the rows are not in memory.
  bool are_made() const { return load_ != nullptr; }
  const T* row(Index row) const { return reinterpret_cast<const T*>(bytes(row)); }
  /// A row before the load.
  const std::byte* bytes(Index row) const { return from_ + row * row_bytes(); }
  Index row_bytes() const { return width_ * pixel_bytes_; }
  /// Copies pixels [x, x + count) of a row, with or without a load.
  void load(Index row, Index x, Index count, T* to) const {
    const std::byte* first = from_ + (row * width_ + x) * pixel_bytes_;
    if (load_ != nullptr) {
      point_row(*load_, count, first, to);
    } else {
      std::copy_n(reinterpret_cast<const T*>(first), count * channels_, to);
    }
  }

 private:
  const kernels::PointCode* load_;
  const std::byte* from_;
  Index pixel_bytes_, width_, channels_;
};

/// Rows for a window of `window` rows that moves down: rows of the image or, with a load, converted rows in a ring,
/// `stride` numbers apart. A row is kept as long as the window may need it.
template <class T>
class WindowRows {
 public:
  WindowRows(const RowsIn<T>& in, Index window, Index width, Index stride)
      : in_(in),
        window_(window),
        width_(width),
        stride_(stride),
        made_(static_cast<std::size_t>(in.are_made() ? window * stride : 0)),
        made_of_(static_cast<std::size_t>(in.are_made() ? window : 0), -1) {}

  /// Row `row` of the image for the window's row y, which may lie outside its slice.
  const T* operator()(Index row, Index y) {
    if (!in_.are_made()) return in_.row(row);
    const Index slot = (y % window_ + window_) % window_;
    T* made = made_.data() + slot * stride_;
    Index& made_of = made_of_[static_cast<std::size_t>(slot)];
    if (made_of != row) in_.load(row, 0, width_, made);
    made_of = row;
    return made;
  }

 private:
  const RowsIn<T>& in_;
  Index window_, width_, stride_;
  std::vector<T> made_;
  std::vector<Index> made_of_;
};

/// Rows of a result.
template <class T>
class RowsOut {
 public:
  RowsOut(const kernels::PointCode* store, void* to, Index width, Index channels)
      : store_(store),
        to_(static_cast<std::byte*>(to)),
        pixel_bytes_(store != nullptr ? static_cast<Index>(bytes_of(store->to)) * store->channels_to
                                      : static_cast<Index>(sizeof(T)) * channels),
        width_(width) {}

  /// Whether there is a store, so that results are written to other memory first.
  bool are_made() const { return store_ != nullptr; }
  /// The place of pixel x of a row, without a store.
  T* at(Index row, Index x) const { return reinterpret_cast<T*>(place(row, x)); }
  /// Writes pixels [x, x + count) of a row through the store.
  void store(Index row, Index x, Index count, const T* from) const { point_row(*store_, count, from, place(row, x)); }
  /// With or without a store: write(place) writes the pixels, to `spare` if there is a store.
  template <class Write>
  void put(Index row, Index x, Index count, T* spare, const Write& write) const {
    write(are_made() ? spare : at(row, x));
    if (are_made()) store(row, x, count, spare);
  }

 private:
  std::byte* place(Index row, Index x) const { return to_ + (row * width_ + x) * pixel_bytes_; }

  const kernels::PointCode* store_;
  std::byte* to_;
  Index pixel_bytes_, width_;
};

}  // namespace whorl::backend::cpu
