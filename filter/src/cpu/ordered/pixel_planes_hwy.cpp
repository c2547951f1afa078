#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/pixel_planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/pixel_planes_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Key>
using PlaneTag = hn::CappedTag<Key, 64 / sizeof(Key)>;

template <class Key>
constexpr Index most_lanes = 64 / static_cast<Index>(sizeof(Key));

// For `count` numbers in pairs of vectors.
template <class Key>
constexpr Index room_for(Index count) {
  return (count / most_lanes<Key> + 2) * most_lanes<Key>;
}

// Scratch for rows of `count` pixels, channel by channel, and two more parts for one channel.
template <class Key>
struct Rooms {
  Rooms(const PlaneLayout& layout, Index count, std::vector<Key>& memory)
      : stride(room_for<Key>(count)), parts(count + layout.extent * (1 + 2 * most_lanes<Key>)) {
    const auto needed = static_cast<std::size_t>(layout.channels * stride + 2 * parts);
    if (memory.size() < needed) memory.resize(needed);
    channels = memory.data();
    next = channels + layout.channels * stride;
    other = next + parts;
  }

  Index stride, parts;
  Key* channels;
  Key* next;
  Key* other;
};

// Number i of array c is number i * ways + c.
template <class Key>
HWY_INLINE void split(const Key* from, Index count, Index ways, Index stride, Key* to) {
  const PlaneTag<Key> d;
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d))) {
    hn::Vec<PlaneTag<Key>> a;
    hn::Vec<PlaneTag<Key>> b;
    hn::Vec<PlaneTag<Key>> c;
    if (ways == 2) {
      hn::LoadInterleaved2(d, from + 2 * i, a, b);
    } else if (ways == 3) {
      hn::LoadInterleaved3(d, from + 3 * i, a, b, c);
      hn::StoreU(c, d, to + 2 * stride + i);
    } else {
      hn::Vec<PlaneTag<Key>> e;
      hn::LoadInterleaved4(d, from + 4 * i, a, b, c, e);
      hn::StoreU(c, d, to + 2 * stride + i);
      hn::StoreU(e, d, to + 3 * stride + i);
    }
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + stride + i);
  }
}

template <class Key>
HWY_INLINE void join(const Key* from, Index stride, Index count, Index ways, Key* to) {
  const PlaneTag<Key> d;
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d))) {
    const auto a = hn::LoadU(d, from + i);
    const auto b = hn::LoadU(d, from + stride + i);
    if (ways == 2) {
      hn::StoreInterleaved2(a, b, d, to + 2 * i);
    } else if (ways == 3) {
      hn::StoreInterleaved3(a, b, hn::LoadU(d, from + 2 * stride + i), d, to + 3 * i);
    } else {
      hn::StoreInterleaved4(a, b, hn::LoadU(d, from + 2 * stride + i), hn::LoadU(d, from + 3 * stride + i), d,
                            to + 4 * i);
    }
  }
}

// Separates even and odd numbers repeatedly; numbers that are `extent` apart are then adjacent.
template <class Key>
void spread(const PlaneLayout& layout, const Key* pixels, Index count, Key* planes, std::vector<Key>& memory) {
  Rooms<Key> rooms(layout, count, memory);
  if (layout.channels > 1) split(pixels, count, layout.channels, rooms.stride, rooms.channels);
  for (Index c = 0; c < layout.channels; ++c) {
    const Key* from = layout.channels > 1 ? rooms.channels + c * rooms.stride : pixels;
    Index from_stride = 0;
    Index length = count;
    for (Index step = 1; step < layout.extent; step *= 2) {
      const bool last = 2 * step == layout.extent;
      length = (length + 1) / 2;
      const Index to_stride = last ? layout.stride : room_for<Key>(length);
      Key* const to = last ? planes + c * layout.extent * layout.stride : rooms.next;
      for (Index phase = 0; phase < step; ++phase) {
        split(from + phase * from_stride, length, 2, step * to_stride, to + phase * to_stride);
      }
      from = to;
      from_stride = to_stride;
      std::swap(rooms.next, rooms.other);
    }
  }
}

template <class Key>
void gather(const PlaneLayout& layout, const Key* planes, Index tiles, Key* pixels, std::vector<Key>& memory) {
  Rooms<Key> rooms(layout, tiles * layout.extent, memory);
  for (Index c = 0; c < layout.channels; ++c) {
    const Key* from = planes + c * layout.extent * layout.stride;
    Index from_stride = layout.stride;
    Index length = tiles;
    for (Index step = layout.extent / 2; step > 0; step /= 2) {
      const Index to_stride = room_for<Key>(2 * length);
      Key* to = rooms.next;
      if (step == 1) to = layout.channels > 1 ? rooms.channels + c * rooms.stride : pixels;
      for (Index phase = 0; phase < step; ++phase) {
        join(from + phase * from_stride, step * from_stride, length, 2, to + phase * to_stride);
      }
      from = to;
      from_stride = to_stride;
      length *= 2;
      std::swap(rooms.next, rooms.other);
    }
  }
  if (layout.channels > 1) join(rooms.channels, rooms.stride, tiles * layout.extent, layout.channels, pixels);
}

#define WHORL_PLANES(Key, name)                                                              \
  void spread_##name(const PlaneLayout& layout, const Key* pixels, Index count, Key* planes, \
                     std::vector<Key>& memory) {                                             \
    spread(layout, pixels, count, planes, memory);                                           \
  }                                                                                          \
  void gather_##name(const PlaneLayout& layout, const Key* planes, Index tiles, Key* pixels, \
                     std::vector<Key>& memory) {                                             \
    gather(layout, planes, tiles, pixels, memory);                                           \
  }
WHORL_PLANES(std::uint8_t, bytes)
WHORL_PLANES(std::uint16_t, words)
WHORL_PLANES(std::int32_t, integers)
#undef WHORL_PLANES

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

#define WHORL_PLANES(Key, name)                                                              \
  HWY_EXPORT(spread_##name);                                                                 \
  HWY_EXPORT(gather_##name);                                                                 \
  template <>                                                                                \
  void spread_pixels(const PlaneLayout& layout, const Key* pixels, Index count, Key* planes, \
                     std::vector<Key>& memory) {                                             \
    HWY_DYNAMIC_DISPATCH(spread_##name)(layout, pixels, count, planes, memory);              \
  }                                                                                          \
  template <>                                                                                \
  void gather_pixels(const PlaneLayout& layout, const Key* planes, Index tiles, Key* pixels, \
                     std::vector<Key>& memory) {                                             \
    HWY_DYNAMIC_DISPATCH(gather_##name)(layout, planes, tiles, pixels, memory);              \
  }
WHORL_PLANES(std::uint8_t, bytes)
WHORL_PLANES(std::uint16_t, words)
WHORL_PLANES(std::int32_t, integers)
#undef WHORL_PLANES

}  // namespace whorl::backend::cpu
#endif
