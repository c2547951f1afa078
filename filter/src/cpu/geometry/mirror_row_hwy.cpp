#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/geometry/mirror_row.hpp"
#include "filter/src/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/geometry/mirror_row_hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Writes the pixels before `end`, the last of them first.
void mirror_pixels(const std::uint8_t* end, Index count, const MirrorTable& table, std::uint8_t* to) {
  const Index size = table.size;
  Index done = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr Index lanes = MirrorTable::block;
  if (size <= lanes) {
    const hn::FixedTag<std::uint8_t, lanes> d;
    // The last whole pixels of 16 bytes; the bytes after them are overwritten by the next pixels.
    const Index pixels = lanes / size;
    const auto order = hn::LoadU(d, table.order);
    for (; done * size + lanes <= count * size; done += pixels) {
      const auto near = hn::LoadU(d, end - done * size - lanes);
      hn::StoreU(hn::TableLookupBytes(near, order), d, to + done * size);
    }
  }
#endif
  for (; done < count; ++done) {
    std::memcpy(to + done * size, end - (done + 1) * size, static_cast<std::size_t>(size));
  }
}

#if HWY_TARGET != HWY_SCALAR
// For pixels whose size divides a block: whole vectors, which overlap at the ends. `ahead` leads to the next row.
bool mirror_vectors(const std::uint8_t* end, Index bytes, const MirrorTable& table, std::ptrdiff_t ahead, bool stream,
                    std::uint8_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  if (MirrorTable::block % table.size != 0 || bytes < lanes) return false;
  HWY_ALIGN std::uint8_t orders[HWY_MAX_BYTES];
  for (Index i = 0; i < lanes; i += MirrorTable::block) std::copy_n(table.order, MirrorTable::block, orders + i);
  const auto order = hn::Load(d, orders);
  const auto mirrored = [&](Index i) HWY_ATTR {
    return hn::ReverseBlocks(d, hn::TableLookupBytes(hn::LoadU(d, end - i - lanes), order));
  };
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % static_cast<std::uintptr_t>(lanes));
  const Index first = (lanes - past) % lanes;
  Index i = 0;
  if (first % table.size == 0) {
    if (first > 0) hn::StoreU(mirrored(0), d, to);
    i = first;
    if (stream) {
      for (; i + lanes <= bytes; i += lanes) {
        prefetch_behind(end - i - lanes, ahead);
        hn::Stream(mirrored(i), d, to + i);
      }
      hwy::FlushStream();
    }
  }
  for (; i + lanes <= bytes; i += lanes) hn::StoreU(mirrored(i), d, to + i);
  if (i < bytes) hn::StoreU(mirrored(bytes - lanes), d, to + bytes - lanes);
  return true;
}
#else
bool mirror_vectors(const std::uint8_t* /*end*/, Index /*bytes*/, const MirrorTable& /*table*/,
                    std::ptrdiff_t /*ahead*/, bool /*stream*/, std::uint8_t* /*to*/) {
  return false;
}
#endif

void stream_bytes(const std::uint8_t* from, Index count, std::uint8_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto over = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % static_cast<std::uintptr_t>(lanes));
  Index i = std::min(count, (lanes - over) % lanes);
  std::memcpy(to, from, static_cast<std::size_t>(i));
  for (; i + lanes <= count; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, static_cast<std::size_t>(count - i));
}

void mirror(const std::uint8_t* from, Index count, const MirrorTable& table, std::ptrdiff_t ahead, bool stream,
            std::uint8_t* to) {
  const Index size = table.size;
  if (mirror_vectors(from + count * size, count * size, table, ahead, stream, to)) return;
  if (!stream) return mirror_pixels(from + count * size, count, table, to);
  // Vectors of a result are aligned to pixels, streaming stores to multiples of their size, so a part is first made in
  // the first-level cache.
  constexpr Index part_bytes = 8192;
  std::uint8_t part[part_bytes];
  const Index most = part_bytes / size;
  for (Index done = 0; done < count; done += most) {
    const Index pixels = std::min(most, count - done);
    mirror_pixels(from + (count - done) * size, pixels, table, part);
    stream_bytes(part, pixels * size, to + done * size);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(mirror);

MirrorTable::MirrorTable(Index bytes) : size(bytes) {
  const Index pixels = block / bytes;
  for (Index i = 0; i < pixels * bytes; ++i) {
    order[i] = static_cast<std::uint8_t>(block - (i / bytes + 1) * bytes + i % bytes);
  }
}

void mirror_row(const std::uint8_t* from, Index count, const MirrorTable& table, std::ptrdiff_t ahead, bool stream,
                std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(mirror)(from, count, table, ahead, stream, to);
}

}  // namespace whorl::backend::cpu
#endif
