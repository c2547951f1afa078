#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/median_histogram.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/median_histogram_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t bins = 16;

// Sixteen counts of a window, or of a column. All histograms are cumulative: bin b counts the numbers that are at most
// b.
using Counts = hn::CappedTag<std::uint16_t, bins>;
using ColumnCounts = hn::Rebind<std::uint8_t, Counts>;

// The increment of a histogram for one more number in bin b.
constexpr auto steps = [] {
  std::array<std::array<std::uint8_t, bins>, bins> all{};
  for (std::size_t b = 0; b < bins; ++b) {
    for (std::size_t i = b; i < bins; ++i) all[b][i] = 1;
  }
  return all;
}();

HWY_INLINE void move(std::uint8_t* column, std::size_t taken, std::size_t given) {
  const ColumnCounts d;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    const auto less = hn::Sub(hn::LoadU(d, column + i), hn::LoadU(d, steps[taken].data() + i));
    hn::StoreU(hn::Add(less, hn::LoadU(d, steps[given].data() + i)), d, column + i);
  }
}

HWY_INLINE void take(std::uint8_t* column, std::size_t bin) {
  const ColumnCounts d;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    hn::StoreU(hn::Sub(hn::LoadU(d, column + i), hn::LoadU(d, steps[bin].data() + i)), d, column + i);
  }
}

HWY_INLINE void give(std::uint8_t* column, std::size_t bin) {
  const ColumnCounts d;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, column + i), hn::LoadU(d, steps[bin].data() + i)), d, column + i);
  }
}

HWY_INLINE void add_column(std::uint16_t* window, const std::uint8_t* column) {
  const Counts d;
  const ColumnCounts bytes;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, window + i), hn::PromoteTo(d, hn::LoadU(bytes, column + i))), d, window + i);
  }
}

HWY_INLINE void move_window(std::uint16_t* window, const std::uint8_t* left, const std::uint8_t* right) {
  const Counts d;
  const ColumnCounts bytes;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    const auto less = hn::Sub(hn::LoadU(d, window + i), hn::PromoteTo(d, hn::LoadU(bytes, left + i)));
    hn::StoreU(hn::Add(less, hn::PromoteTo(d, hn::LoadU(bytes, right + i))), d, window + i);
  }
}

// The bin of number `rank` in order: it is the number of bins whose count is at most that.
HWY_INLINE std::size_t bin_of(const std::uint16_t* window, std::size_t rank) {
  const Counts d;
  const auto limit = hn::Set(d, static_cast<std::uint16_t>(rank + 1));
  std::size_t bin = 0;
  for (std::size_t i = 0; i < bins; i += hn::Lanes(d)) {
    bin += hn::CountTrue(d, hn::Lt(hn::LoadU(d, window + i), limit));
  }
  return bin;
}

// The histogram of a window within one coarse bin. It is updated only when it is needed.
struct LazyWindow {
  HWY_ALIGN std::uint16_t counts[bins];
  Index at;  // the window's first column
};

HWY_INLINE void follow(LazyWindow& window, const std::uint8_t* columns, Index x, Index side) {
  if (x - window.at >= side) {
    std::fill_n(window.counts, bins, std::uint16_t{0});
    for (Index i = x; i < x + side; ++i) add_column(window.counts, columns + i * Index{bins});
  } else {
    for (Index i = window.at; i < x; ++i) {
      move_window(window.counts, columns + i * Index{bins}, columns + (i + side) * Index{bins});
    }
  }
  window.at = x;
}

void medians_of_bytes(const MedianTile& tile, const std::uint8_t* bytes, HistogramMemory& memory, std::uint8_t* medians,
                      std::uint16_t* ranks) {
  const Index columns = tile.columns();
  const Index side = 2 * tile.radius + 1;
  const Index plane = columns * Index{bins};
  memory.coarse.assign(static_cast<std::size_t>(plane), 0);
  memory.fine.assign(static_cast<std::size_t>(plane) * bins, 0);
  std::uint8_t* coarse = memory.coarse.data();
  std::uint8_t* fine = memory.fine.data();
  const auto fine_of = [&](Index x, std::uint8_t value) { return fine + (value / bins) * plane + x * Index{bins}; };
  for (Index y = 0; y < side - 1; ++y) {
    for (Index x = 0; x < columns; ++x) {
      const std::uint8_t value = bytes[y * columns + x];
      give(coarse + x * Index{bins}, value / bins);
      give(fine_of(x, value), value % bins);
    }
  }
  const auto middle = static_cast<std::size_t>(side * side / 2);
  const Counts d;
  const ColumnCounts column;
  constexpr std::size_t parts = bins / hn::MaxLanes(Counts());
  const auto limit = hn::Set(d, static_cast<std::uint16_t>(middle + 1));
  for (Index y = 0; y < tile.height; ++y) {
    const std::uint8_t* entering = bytes + (y + side - 1) * columns;
    for (Index x = 0; x < columns; ++x) {
      const std::uint8_t value = entering[x];
      if (y == 0) {
        give(coarse + x * Index{bins}, value / bins);
        give(fine_of(x, value), value % bins);
        continue;
      }
      const std::uint8_t leaving = bytes[(y - 1) * columns + x];
      move(coarse + x * Index{bins}, leaving / bins, value / bins);
      take(fine_of(x, leaving), leaving % bins);
      give(fine_of(x, value), value % bins);
    }
    LazyWindow windows[bins];
    for (LazyWindow& window : windows) window.at = -side;
    // Kept in registers from pixel to pixel, and stored for look-ups.
    hn::Vec<Counts> sums[parts];
    HWY_ALIGN std::uint16_t window[bins] = {};
    for (Index x = 0; x < side; ++x) add_column(window, coarse + x * Index{bins});
    WHORL_UNROLL
    for (std::size_t i = 0; i < parts; ++i) sums[i] = hn::Load(d, window + i * hn::Lanes(d));
    for (Index x = 0; x < tile.width; ++x) {
      std::size_t bin = 0;
      WHORL_UNROLL
      for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t at = i * hn::Lanes(d);
        if (x > 0) {
          const std::uint8_t* left = coarse + (x - 1) * Index{bins} + at;
          const auto less = hn::Sub(sums[i], hn::PromoteTo(d, hn::LoadU(column, left)));
          sums[i] = hn::Add(less, hn::PromoteTo(d, hn::LoadU(column, left + side * Index{bins})));
        }
        hn::Store(sums[i], d, window + at);
        bin += hn::CountTrue(d, hn::Lt(sums[i], limit));
      }
      const std::size_t within = middle - (bin > 0 ? window[bin - 1] : 0);
      LazyWindow& part = windows[bin];
      follow(part, fine + static_cast<Index>(bin) * plane, x, side);
      const std::size_t low = bin_of(part.counts, within);
      medians[y * tile.width + x] = static_cast<std::uint8_t>(bin * bins + low);
      if (ranks != nullptr) {
        ranks[y * tile.width + x] = static_cast<std::uint16_t>(within - (low > 0 ? part.counts[low - 1] : 0));
      }
    }
  }
}

std::uint32_t search_group(const std::uint16_t* xs, const std::uint16_t* ys, std::uint32_t first, std::uint16_t x,
                           std::uint16_t y, std::uint16_t side, std::uint32_t rank) {
  const hn::CappedTag<std::uint16_t, 32> d;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto left = hn::Set(d, x);
  const auto top = hn::Set(d, y);
  const auto extent = hn::Set(d, side);
  for (std::uint32_t i = first;; i += lanes) {
    // Places to the left of the window or above it wrap around to numbers larger than its side.
    const auto in_x = hn::Lt(hn::Sub(hn::LoadU(d, xs + i), left), extent);
    const auto in_y = hn::Lt(hn::Sub(hn::LoadU(d, ys + i), top), extent);
    const auto inside = hn::And(in_x, in_y);
    const auto count = static_cast<std::uint32_t>(hn::CountTrue(d, inside));
    if (rank >= count) {
      rank -= count;
      continue;
    }
    std::uint8_t stored[8] = {};
    hn::StoreMaskBits(d, inside, stored);
    std::uint32_t bits = 0;
    for (std::uint32_t byte = 0; byte < 4; ++byte) bits |= std::uint32_t{stored[byte]} << (8 * byte);
    for (; rank > 0; --rank) bits &= bits - 1;
    return i + static_cast<std::uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(medians_of_bytes);
HWY_EXPORT(search_group);

void median_bytes(const MedianTile& tile, const std::uint8_t* bytes, HistogramMemory& memory, std::uint8_t* medians,
                  std::uint16_t* rank) {
  HWY_DYNAMIC_DISPATCH(medians_of_bytes)(tile, bytes, memory, medians, rank);
}

std::uint32_t find_in_group(const std::uint16_t* xs, const std::uint16_t* ys, std::uint32_t first, std::uint16_t x,
                            std::uint16_t y, std::uint16_t side, std::uint32_t rank) {
  return HWY_DYNAMIC_DISPATCH(search_group)(xs, ys, first, x, y, side, rank);
}

}  // namespace whorl::backend::cpu
#endif
