// Medians on a CPU. Which kernel takes which window:
//
//   radius 1        median_of_nine     three sorted columns; the median of nine from their ranks, no sorting of windows
//   radius 2, 3     median_network     sorted columns are merged into blocks that neighboring windows share
//   radius 4 to 20  median_tiles       sorts the common pixels of a tile's windows once; radius 4 always, larger ones if
//                                      tiles_are_faster: the time grows with the radius and falls with longer vectors
//   all others      median_histogram   moving histograms: the time does not depend on the radius
//
// The first three do point operations row by row; can_fuse allows them up to radius 4. Sizes of tiles, and the times by
// which tiles_are_faster chooses, are in median_tiles.hpp and median_tiles_hwy.cpp.
#include "filter/src/kernels/ordered/median.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/image_parts.hpp"
#include "filter/src/cpu/ordered/median_histogram.hpp"
#include "filter/src/cpu/ordered/median_network.hpp"
#include "filter/src/cpu/ordered/median_of_nine.hpp"
#include "filter/src/cpu/ordered/median_tiles.hpp"
#include "filter/src/cpu/ordered/padded_row.hpp"
#include "filter/src/cpu/ordered/pixel_planes.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Ordered;

// Goes down strips whose rows stay in the caches; the three rows of the window are in a ring.
template <class T>
void of_nine(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge, const RowsIn<T>& in,
             const RowsOut<T>& out) {
  using Key = Ordered<T>;
  constexpr Index strip_rows = 64;
  constexpr Index strip_bytes = 49152;
  constexpr auto lanes = nine_slack_bytes / static_cast<Index>(sizeof(Key));
  const Index channels = count_of(format.channels);
  const bool stream = passes_caches<T>(format) && !out.are_made();
  const ImageParts parts{format.slices(), format.height, format.row(), strip_rows,
                         strip_bytes / static_cast<Index>(sizeof(Key))};
  static_assert(strip_bytes / sizeof(Key) % 12 == 0, "whole pixels of any number of channels");
  const Index stride = (std::min(parts.wide, format.row()) + 2 * channels) / lanes * lanes + 2 * lanes;
  Array<Key> memory(ctx, {ctx.threads(), 3 * stride});
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    Key* rows = memory.data() + Index{3} * omp_get_thread_num() * stride;
    std::vector<T> spare(static_cast<std::size_t>(out.are_made() ? stride : 0));
    turns([&](Index i) {
      const ImagePart part = parts.part(i);
      const Slice<T> source = slice_of(format, edge, in, part.slice);
      const auto row = [&](Index y) { return rows + (y + 1) % 3 * stride; };
      const auto load = [&](Index y) { source.load(y, part.left - channels, part.width() + 2 * channels, row(y)); };
      load(part.top - 1);
      load(part.top);
      for (Index y = part.top; y < part.bottom; ++y) {
        load(y + 1);
        const Key* window[] = {row(y - 1), row(y), row(y + 1)};
        out.put(part.slice * format.height + y, part.left / channels, part.width() / channels, spare.data(),
                [&](T* place) { medians_of_nine(window, channels, part.width(), stream, place); });
      }
    });
  });
}

// Goes down strips whose rows stay in the second-level cache; the rows of the window are in a ring.
template <class T>
void by_network(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const RowsIn<T>& in,
                const RowsOut<T>& out) {
  using Key = Ordered<T>;
  // An equal number of strips for each thread.
  constexpr Index most_rows = 256;
  const Index strips = round_up(divide_up(format.height, most_rows), ctx.threads());
  const Index tall = divide_up(format.height, strips);
  const Index channels = count_of(format.channels);
  const Index side = 2 * radius + 1;
  const Index wide = NetworkRows<Key>(radius, channels, format.width).width();
  const ImageParts parts{format.slices(), format.height, format.row(), tall, wide};
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    NetworkRows<Key> rows(radius, channels, format.width);
    std::vector<T> spare(static_cast<std::size_t>(out.are_made() ? parts.wide : 0));
    turns([&](Index i) {
      const ImagePart part = parts.part(i);
      const Slice<T> source = slice_of(format, edge, in, part.slice);
      const auto load = [&](Index y) {
        source.load(y, part.left - radius * channels, part.width() + 2 * radius * channels,
                    rows.window((y + radius) % side));
      };
      for (Index y = part.top - radius; y < part.top + radius; ++y) load(y);
      for (Index y = part.top; y < part.bottom; ++y) {
        load(y + radius);
        rows.run();
        out.put(part.slice * format.height + y, part.left / channels, part.width() / channels, spare.data(),
                [&](T* place) { store_row<T>(rows.medians(), part.width(), place); });
      }
    });
  });
}

// Goes down strips that are as many tiles wide as there are lanes; the input rows are in a ring.
template <class T>
void by_tiles(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const RowsIn<T>& in,
              const RowsOut<T>& out) {
  using Key = Ordered<T>;
  constexpr Index strip_rows = 128;
  constexpr Index together = tiles_together<Key>;
  constexpr auto slack = plane_slack_bytes / static_cast<Index>(sizeof(Key));
  const MedianTiles tiles(radius);
  const Index channels = count_of(format.channels);
  const Index extent = tiles.extent();
  const Index reach = tiles.reach();
  const ImageParts parts{format.slices(), format.height, format.width, strip_rows, together * extent};
  // The columns of a tile extend into the next tiles.
  const PlaneLayout planes{channels, extent, 2 * together};
  const PlaneLayout medians{channels, extent, together};
  // An odd number of vectors, so that the rows of a column fall into different sets of a cache.
  const Index row_stride = channels * extent * planes.stride + together;
  const Index median_stride = channels * extent * together;
  std::vector<Index> columns(static_cast<std::size_t>(reach));
  for (Index x = 0; x < reach; ++x) columns[static_cast<std::size_t>(x)] = x % extent * planes.stride + x / extent;
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    std::vector<Key> row(static_cast<std::size_t>((parts.wide + reach) * channels + slack));
    std::vector<Key> ring(static_cast<std::size_t>(reach * row_stride));
    std::vector<Key> found(static_cast<std::size_t>(extent * median_stride));
    std::vector<const Key*> rows(static_cast<std::size_t>(reach));
    std::vector<Key> lists;
    std::vector<Key> parts_of_rows;
    std::vector<T> spare(static_cast<std::size_t>(out.are_made() ? parts.wide * channels : 0));
    turns([&](Index i) {
      const ImagePart part = parts.part(i);
      const Slice<T> source = slice_of(format, edge, in, part.slice);
      const Index wide = part.width() + 2 * radius;
      const Index count = divide_up(part.width(), extent);
      const auto slot = [&](Index y) { return ring.data() + (y - part.top + radius) % reach * row_stride; };
      const auto load = [&](Index y, Index end) {
        for (; y < end; ++y) {
          source.load(y, (part.left - radius) * channels, wide * channels, row.data());
          spread_pixels(planes, row.data(), wide, slot(y), parts_of_rows);
        }
      };
      load(part.top - radius, part.top + radius);
      for (Index top = part.top; top < part.bottom; top += extent) {
        const Index bottom = std::min(top + extent, part.bottom);
        load(top + radius, bottom + radius);
        for (Index c = 0; c < channels; ++c) {
          for (Index y = 0; y < reach; ++y) {
            rows[static_cast<std::size_t>(y)] = slot(top - radius + y) + c * extent * planes.stride;
          }
          Key* first = found.data() + c * extent * together;
          medians_of_tiles(tiles, {rows.data(), columns.data(), first, median_stride}, count, lists);
        }
        for (Index y = top; y < bottom; ++y) {
          gather_pixels(medians, found.data() + (y - top) * median_stride, count, row.data(), parts_of_rows);
          out.put(part.slice * format.height + y, part.left, part.width(), spare.data(),
                  [&](T* place) { store_row<T>(row.data(), part.width() * channels, place); });
        }
      }
    });
  });
}

// Processes tiles whose histograms stay in the second-level cache.
template <class T>
void by_histogram(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const T* from,
                  T* to) {
  using Key = Ordered<T>;
  constexpr Index tile_extent = sizeof(T) == 1 ? 192 : 128;
  const Index channels = count_of(format.channels);
  const ImageParts parts{format.slices(), format.height, format.width, tile_extent, tile_extent};
  const RowsIn<T> in(nullptr, from, format.width, channels);
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    std::vector<Key> rows;
    std::vector<Key> channel;
    std::vector<Key> medians(static_cast<std::size_t>(tile_extent * tile_extent));
    HistogramMemory memory;
    turns([&](Index number) {
      const ImagePart part = parts.part(number);
      const Slice<T> source = slice_of(format, edge, in, part.slice);
      const MedianTile tile{part.width(), part.height(), radius};
      const Index numbers = tile.rows() * tile.columns();
      rows.resize(static_cast<std::size_t>(numbers * channels));
      channel.resize(static_cast<std::size_t>(numbers));
      for (Index y = 0; y < tile.rows(); ++y) {
        source.load(part.top - radius + y, (part.left - radius) * channels, tile.columns() * channels,
                    rows.data() + y * tile.columns() * channels);
      }
      for (Index c = 0; c < channels && !ctx.cancel_requested(); ++c) {
        const Key* next = rows.data() + c;
        for (Key& key : channel) {
          key = *next;
          next += channels;
        }
        if constexpr (sizeof(T) == 1) {
          median_bytes(tile, channel.data(), memory, medians.data(), nullptr);
        } else {
          median_keys(tile, channel.data(), medians.data());
        }
        for (Index y = 0; y < tile.height; ++y) {
          T* target = to + (part.slice * format.height + part.top + y) * format.row() + part.left * channels + c;
          const Key* row = medians.data() + y * tile.width;
          for (const Key* end = row + tile.width; row < end; target += channels)
            *target = kernels::from_ordered<T>(*row++);
        }
      }
    });
  });
}

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
            const kernels::PointEnds& ends, const void* from, void* to) {
  static_assert(largest_fused_radius <= largest_tiled_radius);
  const bool tiled =
      radius <= largest_tiled_radius && tiles_are_faster<Ordered<T>>(radius, format.height, format.width);
  if (radius > largest_fused_radius && !tiled) {
    by_histogram(ctx, format, radius, edge, static_cast<const T*>(from), static_cast<T*>(to));
    return;
  }
  const Index channels = count_of(format.channels);
  const RowsIn<T> in(ends.load, from, format.width, channels);
  const RowsOut<T> out(ends.store, to, format.width, channels);
  if (radius == 1) {
    of_nine(ctx, format, edge, in, out);
  } else if (radius <= largest_network_radius) {
    by_network(ctx, format, radius, edge, in, out);
  } else {
    by_tiles(ctx, format, radius, edge, in, out);
  }
}

}  // namespace

void register_median() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::median<T>.set(DeviceKind::cpu, median<T>);
  });
}

}  // namespace whorl::backend::cpu
