#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/median_tiles.hpp"
#include "whorl/core/integer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/median_tiles_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "filter/src/cpu/ordered/sorted_lists-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The largest number of columns or rows on which a tile depends.
constexpr Index most_lines = 2 * largest_tiled_radius + 16;

// The axes: 0 for columns (x), 1 for rows (y).
constexpr int axes = 2;

template <class Key>
using Lines = std::array<List<Key>, most_lines>;

// The pixels that all windows of a tile at `place` share and that can be a median: those from rank `below` on, sorted.
// Also for each axis the sorted lines i, over the range of the other axis that the windows share.
template <class Key>
struct Part {
  Index place[axes];
  Index extent[axes];
  List<Key> common;
  Index below;
  const Lines<Key>* lines[axes];
};

template <class Key>
class Tiles {
 public:
  Tiles(const MedianTiles& tiles, const TileWindows<Key>& windows, Key* memory)
      : side_(tiles.side()), middle_(side_ * side_ / 2), extent_(tiles.extent()), windows_(windows), next_(memory) {}

  // Computes the tiles from `first` on.
  void run(Index first) {
    first_ = first;
    Key* const before = next_;
    const Index length = side_ - extent_ + 1;
    Lines<Key> lines[axes];
    for (int axis = 0; axis < axes; ++axis) {
      for (Index i = 0; i < extent_ + side_ - 1; ++i) {
        lines[axis][i] = sorted_pixels(axis, i, extent_ - 1, length);
      }
    }
    const List<Key> common = merged_lines(&lines[0][extent_ - 1], length);
    halve({{0, 0}, {extent_, extent_}, common, 0, {&lines[0], &lines[1]}}, 0);
    next_ = before;
  }

 private:
  struct Range {
    Index from, end;
    Index count() const { return end - from; }
  };

  // The ranks among `count` pixels of a window that can be its median.
  Range candidates(Index count) const {
    return {std::max<Index>(0, count - 1 - middle_), std::min(count, middle_ + 1)};
  }

  Key* room(Index count) {
    Key* const first = next_;
    next_ += count * list_lanes<Key>;
    return first;
  }

  const Key* pixel(Index x, Index y) const { return windows_.rows[y] + windows_.columns[x] + first_; }
  // Pixel i of a line, which is a column along axis 0.
  HWY_INLINE ListVector<Key> pixel(int axis, Index line, Index i) const {
    return load(axis == 0 ? pixel(line, i) : pixel(i, line), 0);
  }

  template <Index size>
  HWY_INLINE void sort_into(int axis, Index line, Index first, Index count, Key* to) const {
    ListVector<Key> numbers[size];
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) numbers[i] = i < count ? pixel(axis, line, first + i) : infinite<Key>();
    sort_numbers<size>(numbers);
    store_first<size>(numbers, count, to);
  }

  List<Key> sorted_pixels(int axis, Index line, Index first, Index count) {
    Key* const to = room(count);
    if (count <= most_held / 4) {
      sort_into<most_held / 4>(axis, line, first, count, to);
    } else if (count <= most_held / 2) {
      sort_into<most_held / 2>(axis, line, first, count, to);
    } else if (count <= most_held) {
      sort_into<most_held>(axis, line, first, count, to);
    } else {
      const List<Key> a = sorted_pixels(axis, line, first, most_held);
      const List<Key> b = sorted_pixels(axis, line, first + most_held, count - most_held);
      merge(a, b, 0, count, to);
      next_ = to + count * list_lanes<Key>;
    }
    return {to, count};
  }

  // All numbers of `count` lines, merged.
  List<Key> merged_lines(const List<Key>* lines, Index count) {
    if (count == 1) return *lines;
    const Index all = count * lines->count;
    Key* const to = room(all);
    Index first = 1;
    while (2 * first < count) first *= 2;
    merge(merged_lines(lines, first), merged_lines(lines + first, count - first), 0, all, to);
    next_ = to + all * list_lanes<Key>;
    return {to, all};
  }

  // The sorted list of a line, with `count` more pixels of the line from `first` on.
  HWY_INLINE List<Key> longer(List<Key> list, int axis, Index line, Index first, Index count) {
    const Index together = list.count + count;
    Key* const to = room(together);
    if (count == 1) {
      insert(list, pixel(axis, line, first), to);
    } else if (count == 2) {
      auto low = pixel(axis, line, first);
      auto high = pixel(axis, line, first + 1);
      compare(low, high);
      insert_two(list, low, high, to);
    } else {
      merge(list, sorted_pixels(axis, line, first, count), 0, together, to);
      next_ = to + together * list_lanes<Key>;
    }
    return {to, together};
  }

  // Divides a part into halves along `axis` (0 for x), then along the other axis, and so on.
  void halve(const Part<Key>& part, int axis) {
    const int other = 1 - axis;
    const Index half = part.extent[axis] / 2;
    const Index length = side_ - part.extent[other] + 1;
    const Index wide = side_ - part.extent[axis] + 1 + half;
    const Range range = candidates(wide * length);
    for (const bool second : {false, true}) {
      Key* const before = next_;
      Part<Key> next = part;
      next.extent[axis] = half;
      if (second) next.place[axis] += half;
      const Index added = second ? part.place[axis] + side_ : part.place[axis] + half - 1;
      // At most all merged pixels, before some are dropped.
      const Index count = part.common.count + half * length;
      Key* const common = room(count);
      const List<Key> lines = merged_lines(&(*part.lines[axis])[added], half);
      merge(part.common, lines, range.from - part.below, range.end - part.below, common);
      next_ = common + count * list_lanes<Key>;
      next.common = {common, range.count()};
      next.below = range.from;
      if (half == 1 && part.extent[other] == 2) {
        for (const bool lower : {false, true}) finish(next, axis, added, lower);
      } else {
        Lines<Key> across;
        for (const Index from : {part.place[other], part.place[other] + side_}) {
          for (Index i = from; i < from + part.extent[other] - 1; ++i) {
            across[i] = longer((*part.lines[other])[i], other, i, added, half);
          }
        }
        next.lines[other] = &across;
        halve(next, other);
      }
      next_ = before;
    }
  }

  // One of two adjacent windows. A line of side_ pixels, sorted except for pixel `alone`, is added to the side_ + 1
  // common pixels that can be a median. Without that pixel the median is the number of rank side_; with it the median
  // is the middle one of this number, the number before it, and the pixel.
  void finish(const Part<Key>& part, int axis, Index alone, bool lower) {
    const int other = 1 - axis;
    const Index line = part.place[other] + (lower ? side_ : 0);
    const List<Key>& list = (*part.lines[other])[line];
    auto common = load(part.common.numbers, side_ - 1);
    auto below = common;
    auto above = load(part.common.numbers, side_);
    for (Index i = 0; i < side_ - 1; ++i) {
      const auto number = load(list.numbers, i);
      above = hn::Min(above, hn::Max(number, common));
      common = load(part.common.numbers, side_ - 2 - i);
      below = hn::Min(below, hn::Max(number, common));
    }
    const Index x = part.place[0] + (axis == 1 && lower ? 1 : 0);
    const Index y = part.place[1] + (axis == 0 && lower ? 1 : 0);
    const auto median = hn::Min(hn::Max(below, pixel(other, line, alone)), above);
    hn::StoreU(median, ListTag<Key>(), windows_.medians + y * windows_.median_row + x * tiles_together<Key> + first_);
  }

  Index side_, middle_, extent_;
  const TileWindows<Key>& windows_;
  Index first_ = 0;
  Key* next_;
};

// The number of entries in all lists: for a tile its sorted lines and their merged list; for each of its halves the
// common pixels, the lists that are merged into these, and longer lines.
Index memory_of(const MedianTiles& tiles) {
  const Index pixels = tiles.side() * tiles.side();
  Index halvings = 0;
  for (Index extent = tiles.extent(); extent > 1; extent /= 2) halvings += axes;
  return (6 + 3 * halvings) * pixels;
}

template <class Key>
void all_tiles(const MedianTiles& tiles, const TileWindows<Key>& windows, Index count, std::vector<Key>& memory) {
  const auto lanes = list_lanes<Key>;
  memory.resize(static_cast<std::size_t>((memory_of(tiles) + 1) * lanes));
  const auto vector = static_cast<std::uintptr_t>(lanes) * sizeof(Key);
  const auto past = reinterpret_cast<std::uintptr_t>(memory.data()) % vector;
  const std::size_t keys_before = (vector - past) % vector / sizeof(Key);
  Tiles<Key> all(tiles, windows, memory.data() + keys_before);
  for (Index first = 0; first < count; first += lanes) all.run(first);
}

Index vector_bytes() { return list_lanes<std::uint8_t>; }

#define WHORL_TILES(Key, name)                                                                 \
  void tiles_of_##name(const MedianTiles& tiles, const TileWindows<Key>& windows, Index count, \
                       std::vector<Key>& memory) {                                             \
    all_tiles(tiles, windows, count, memory);                                                  \
  }
WHORL_TILES(std::uint8_t, bytes)
WHORL_TILES(std::uint16_t, words)
WHORL_TILES(std::int32_t, integers)
#undef WHORL_TILES

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

// All windows of a tile share less than half of a window, so no common pixel is dropped.
MedianTiles::MedianTiles(Index radius) : radius_(radius), extent_(radius < 8 ? 8 : 16) {}

HWY_EXPORT(vector_bytes);

// Measured with vectors of 64 bytes: the time of tiles is the same for each vector of medians, whatever its type; the
// time of histograms is the same for each number.
template <class Key>
bool tiles_are_faster(Index radius, Index height, Index width) {
  constexpr Index vector_ns_by_radius = 33;
  constexpr Index histogram_ns = sizeof(Key) == 1 ? 9 : 45;
  // A vector has at least one number.
  const Index lanes = std::max<Index>(1, HWY_DYNAMIC_DISPATCH(vector_bytes)() / static_cast<Index>(sizeof(Key)));
  const Index extent = MedianTiles(radius).extent();
  const Index vectors = divide_up(width, lanes * extent) * extent;
  const Index rows = round_up(height, extent);
  return vector_ns_by_radius * radius * vectors * rows <= histogram_ns * height * width;
}

#define WHORL_TILES(Key, name)                                                                  \
  HWY_EXPORT(tiles_of_##name);                                                                  \
  template <>                                                                                   \
  void medians_of_tiles(const MedianTiles& tiles, const TileWindows<Key>& windows, Index count, \
                        std::vector<Key>& memory) {                                             \
    HWY_DYNAMIC_DISPATCH(tiles_of_##name)(tiles, windows, count, memory);                       \
  }                                                                                             \
  template bool tiles_are_faster<Key>(Index radius, Index height, Index width);
WHORL_TILES(std::uint8_t, bytes)
WHORL_TILES(std::uint16_t, words)
WHORL_TILES(std::int32_t, integers)
#undef WHORL_TILES

}  // namespace whorl::backend::cpu
#endif
