// Rows of an image with what is beyond its edge, as the integers that pixels are compared by.
#pragma once

#include <algorithm>

#include "backend/cpu/filter/key_rows.hpp"
#include "kernels/filter/edge.hpp"
#include "kernels/filter/ordered.hpp"

namespace whorl::backend::cpu {

/// One slice of an image.
template <class T>
struct Slice {
  const T* pixels;
  Index height, width, channels;
  kernels::Edge<T> edge;

  /// Numbers [first, first + count) of row y; both may lie outside.
  void load(Index y, Index first, Index count, kernels::Ordered<T>* to) const {
    const kernels::Ordered<T> outside = kernels::to_ordered(edge.value);
    const Index source_y = border_index(edge.border, y, height);
    if (source_y < 0) {
      std::fill(to, to + count, outside);
      return;
    }
    const T* row = pixels + source_y * width * channels;
    const auto fill_beyond = [&](Index i, Index end) {
      if (i == end) return;
      // The pixel of a number left of the first has a quotient that is rounded down.
      const Index number = first + i;
      Index x = number >= 0 ? number / channels : -((channels - 1 - number) / channels);
      Index channel = number - x * channels;
      for (; i < end; ++x, channel = 0) {
        const Index source = border_index(edge.border, x, width);
        for (; i < end && channel < channels; ++i, ++channel) {
          to[i] = source < 0 ? outside : kernels::to_ordered(row[source * channels + channel]);
        }
      }
    };
    const Index inside = std::clamp<Index>(-first, 0, count);
    const Index behind = std::clamp<Index>(width * channels - first, inside, count);
    fill_beyond(0, inside);
    const T* from = row + first;
    if constexpr (std::is_same_v<T, kernels::Ordered<T>>) {
      std::copy(from + inside, from + behind, to + inside);
    } else {
      keys_of_row(from + inside, behind - inside, to + inside);
    }
    fill_beyond(behind, count);
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
Slice<T> slice_of(const ImageFormat& format, kernels::Edge<T> edge, const T* from, Index slice) {
  return {from + slice * format.height * format.row(), format.height, format.width, count_of(format.channels), edge};
}

/// Whether results are written past the caches: none holds all of a large image until it is read.
template <class T>
bool passes_caches(const ImageFormat& format) {
  constexpr Index cached_bytes = Index{4} << 20;
  return format.slices() * format.height * format.row() * static_cast<Index>(sizeof(T)) > cached_bytes;
}

}  // namespace whorl::backend::cpu
