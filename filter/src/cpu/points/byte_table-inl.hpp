// Bytes looked up in tables of 256 bytes by shuffles, a vector at a time. Included once for each target.
#if defined(WHORL_BYTE_TABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_BYTE_TABLE_INL
#undef WHORL_BYTE_TABLE_INL
#else
#define WHORL_BYTE_TABLE_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE2

using Bytes = hn::ScalableTag<std::uint8_t>;
using ByteVector = hn::Vec<Bytes>;

// A table as sixteen parts of sixteen entries. A shuffle gives zero for a negative index. From part to part sixteen is
// subtracted from the byte, with saturation, so that a negative index stays negative. Each part holds its difference
// (exclusive or) to the part before: the parts up to that of the byte combine to its entry. Bytes of the upper half are
// looked up in the same way with their highest bit flipped.
class ByteTable {
 public:
  explicit ByteTable(const std::uint8_t* table) {
    const Bytes d;
    for (std::size_t part = 0; part < 2 * half; ++part) {
      const ByteVector here = hn::LoadDup128(d, table + part * entries);
      parts_[part] = part % half == 0 ? here : hn::Xor(here, hn::LoadDup128(d, table + (part - 1) * entries));
    }
  }

  HWY_INLINE ByteVector operator[](ByteVector v) const {
    return hn::Or(walk(parts_, v), walk(parts_ + half, hn::Xor(v, hn::Set(Bytes(), 0x80))));
  }

 private:
  static constexpr std::size_t entries = 16;
  static constexpr std::size_t half = 8;

  HWY_INLINE static ByteVector walk(const ByteVector* parts, ByteVector v) {
    const Bytes d;
    const hn::RebindToSigned<Bytes> di;
    ByteVector found = hn::TableLookupBytesOr0(parts[0], v);
    auto lowered = hn::BitCast(di, v);
    for (std::size_t part = 1; part < half; ++part) {
      lowered = hn::SaturatedSub(lowered, hn::Set(di, entries));
      found = hn::Xor(found, hn::TableLookupBytesOr0(parts[part], hn::BitCast(d, lowered)));
    }
    return found;
  }

  ByteVector parts_[2 * half];
};

// Returns the number of finished pixels.
inline std::size_t whole_vectors_by_tables(const std::uint8_t* tables, int channels, std::size_t pixels,
                                           const std::uint8_t* from, std::uint8_t* to) {
  constexpr std::size_t levels = 256;
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (channels == 1) {
    const ByteTable table(tables);
    for (; i + lanes <= pixels; i += lanes) hn::StoreU(table[hn::LoadU(d, from + i)], d, to + i);
  } else if (channels == 3) {
    const ByteTable red(tables);
    const ByteTable green(tables + levels);
    const ByteTable blue(tables + 2 * levels);
    for (; i + lanes <= pixels; i += lanes) {
      ByteVector r, g, b;
      hn::LoadInterleaved3(d, from + 3 * i, r, g, b);
      hn::StoreInterleaved3(red[r], green[g], blue[b], d, to + 3 * i);
    }
  } else if (channels == 4) {
    const ByteTable red(tables);
    const ByteTable green(tables + levels);
    const ByteTable blue(tables + 2 * levels);
    const ByteTable alpha(tables + 3 * levels);
    for (; i + lanes <= pixels; i += lanes) {
      ByteVector r, g, b, a;
      hn::LoadInterleaved4(d, from + 4 * i, r, g, b, a);
      hn::StoreInterleaved4(red[r], green[g], blue[b], alpha[a], d, to + 4 * i);
    }
  }
  return i;
}

#else

inline std::size_t whole_vectors_by_tables(const std::uint8_t*, int, std::size_t, const std::uint8_t*, std::uint8_t*) {
  return 0;
}

#endif

// to[i] = tables[channel][from[i]]
inline void bytes_by_tables(const std::uint8_t* tables, int channels, std::size_t pixels, const std::uint8_t* from,
                            std::uint8_t* to) {
  constexpr std::size_t levels = 256;
  const auto step = static_cast<std::size_t>(channels);
  const std::size_t done = whole_vectors_by_tables(tables, channels, pixels, from, to);
  for (std::size_t channel = 0; channel < step; ++channel) {
    const std::uint8_t* table = tables + channel * levels;
    for (std::size_t i = done * step + channel; i < pixels * step; i += step) to[i] = table[from[i]];
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
