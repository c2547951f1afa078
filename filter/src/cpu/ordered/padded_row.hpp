// Rows of an image with its border, as the integers by which pixels are compared.
#pragma once

#include <algorithm>

#include "filter/src/cpu/ordered/key_rows.hpp"
#include "filter/src/cpu/points/point_ends.hpp"
#include "filter/src/kernels/edge.hpp"
#include "filter/src/kernels/ordered/ordered.hpp"

namespace whorl::backend::cpu {

/// One slice of an image.
template <class T>
struct Slice {
  using Key = kernels::Ordered<T>;

  RowsIn<T> rows;
  Index top;  ///< its first row
  Index height, width, channels;
  kernels::Edge<T> edge;

  /// Numbers [first, first + count) of row y, of whole pixels; both may lie outside.
  void load(Index y, Index first, Index count, Key* to) const {
    const Key outside = kernels::to_ordered(edge.value);
    const Index source_y = border_index(edge.border, y, height);
    if (source_y < 0) {
      std::fill(to, to + count, outside);
      return;
    }
    const Index row = top + source_y;
    const auto fill_beyond = [&](Index i, Index end) {
      for (Index x = (first + i) / channels; i < end; ++x, i += channels) {
        const Index source = border_index(edge.border, x, width);
        T made[most_channels] = {};
        if (source >= 0 && rows.are_made()) rows.load(row, source, 1, made);
        const T* pixel = rows.are_made() || source < 0 ? made : rows.row(row) + source * channels;
        for (Index c = 0; c < channels; ++c) to[i + c] = source < 0 ? outside : kernels::to_ordered(pixel[c]);
      }
    };
    const Index inside = std::clamp<Index>(-first, 0, count);
    const Index behind = std::clamp<Index>(width * channels - first, inside, count);
    fill_beyond(0, inside);
    load_inside(row, (first + inside) / channels, (behind - inside) / channels, to + inside);
    fill_beyond(behind, count);
  }

 private:
  static constexpr Index most_channels = 4;

  void load_inside(Index row, Index x, Index count, Key* to) const {
    if constexpr (std::is_same_v<T, Key>) {
      rows.load(row, x, count, to);
    } else if (!rows.are_made()) {
      keys_of_row(rows.row(row) + x * channels, count * channels, to);
    } else {
      constexpr Index together = 256;
      T pixels[together * most_channels];
      for (Index i = 0; i < count; i += together) {
        const Index here = std::min(together, count - i);
        rows.load(row, x + i, here, pixels);
        keys_of_row(pixels, here * channels, to + i * channels);
      }
    }
  }
};

/// The numbers that keys stand for.
template <class T>
void store_row(const kernels::Ordered<T>* keys, Index count, T* to) {
  if constexpr (std::is_same_v<T, kernels::Ordered<T>>) {
    std::copy(keys, keys + count, to);
  } else {
    row_of_keys(keys, count, to);
  }
}

template <class T>
Slice<T> slice_of(const ImageFormat& format, kernels::Edge<T> edge, const RowsIn<T>& rows, Index slice) {
  return {rows, slice * format.height, format.height, format.width, count_of(format.channels), edge};
}

/// Whether results bypass the caches, because a large image would leave them before it is read again.
template <class T>
bool passes_caches(const ImageFormat& format) {
  constexpr Index cached_bytes = Index{4} << 20;
  return format.slices() * format.height * format.row() * static_cast<Index>(sizeof(T)) > cached_bytes;
}

}  // namespace whorl::backend::cpu
