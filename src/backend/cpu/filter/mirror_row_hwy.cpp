#include "backend/cpu/filter/mirror_row.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/filter/mirror_row_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Pixels that end at `end`, the last of them first.
void mirror_pixels(const std::uint8_t* end, Index count, Index size, std::uint8_t* to) {
  Index done = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr Index lanes = 16;
  if (size <= lanes) {
    const hn::FixedTag<std::uint8_t, lanes> d;
    // Of 16 bytes the last whole pixels; what comes after them is written over by the next.
    const Index pixels = lanes / size;
    alignas(lanes) std::uint8_t order[lanes] = {};
    for (Index i = 0; i < pixels * size; ++i) {
      order[i] = static_cast<std::uint8_t>(lanes - (i / size + 1) * size + i % size);
    }
    const auto table = hn::Load(d, order);
    for (; done * size + lanes <= count * size; done += pixels) {
      const auto near = hn::LoadU(d, end - done * size - lanes);
      hn::StoreU(hn::TableLookupBytes(near, table), d, to + done * size);
    }
  }
#endif
  for (; done < count; ++done) {
    std::memcpy(to + done * size, end - (done + 1) * size, static_cast<std::size_t>(size));
  }
}

void stream_bytes(const std::uint8_t* from, Index count, std::uint8_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto over = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % static_cast<std::uintptr_t>(lanes));
  Index i = std::min(count, (lanes - over) % lanes);
  std::memcpy(to, from, static_cast<std::size_t>(i));
  for (; i + lanes <= count; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, static_cast<std::size_t>(count - i));
}

void mirror(const std::uint8_t* from, Index count, Index size, bool stream, std::uint8_t* to) {
  if (!stream) return mirror_pixels(from + count * size, count, size, to);
  // Vectors of a result lie as pixels do, streams at multiples of their size: a part goes by way of the first cache.
  constexpr Index part_bytes = 8192;
  std::uint8_t part[part_bytes];
  const Index most = part_bytes / size;
  for (Index done = 0; done < count; done += most) {
    const Index pixels = std::min(most, count - done);
    mirror_pixels(from + (count - done) * size, pixels, size, part);
    stream_bytes(part, pixels * size, to + done * size);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(mirror);

void mirror_row(const std::uint8_t* from, Index count, Index size, bool stream, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(mirror)(from, count, size, stream, to);
}

}  // namespace whorl::backend::cpu
#endif
