#include "filter/src/cpu/ordered/median_histogram.hpp"

#include <limits>

namespace whorl::backend::cpu {

namespace {

constexpr std::uint32_t groups = 256;

// The number of entries that find_in_group may read after the last place.
constexpr std::size_t behind = 32;

struct Entry {
  std::uint32_t key;
  std::uint16_t x, y;
};

// Unsigned, in the order of the keys.
std::uint32_t unsigned_key(std::uint16_t key) { return key; }
std::uint32_t unsigned_key(std::int32_t key) { return static_cast<std::uint32_t>(key) ^ 0x80000000U; }

// Sorts by digits, beginning with the lowest.
void sort_by_digits(std::vector<Entry>& entries, std::uint32_t key_bits) {
  constexpr std::uint32_t digit_bits = 11;
  constexpr std::uint32_t values = 1U << digit_bits;
  std::vector<Entry> other(entries.size());
  for (std::uint32_t shift = 0; shift < key_bits; shift += digit_bits) {
    std::uint32_t next[values] = {};
    for (const Entry& entry : entries) ++next[(entry.key >> shift) % values];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : next) {
      const std::uint32_t count = place;
      place = sum;
      sum += count;
    }
    for (const Entry& entry : entries) other[next[(entry.key >> shift) % values]++] = entry;
    entries.swap(other);
  }
}

}  // namespace

template <class Key>
void median_keys(const MedianTile& tile, const Key* keys, Key* medians) {
  const Index columns = tile.columns();
  const auto numbers = static_cast<std::size_t>(columns * tile.rows());
  std::vector<Entry> entries(numbers);
  for (Index y = 0; y < tile.rows(); ++y) {
    for (Index x = 0; x < columns; ++x) {
      entries[static_cast<std::size_t>(y * columns + x)] = {
          unsigned_key(keys[y * columns + x]), static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
    }
  }
  sort_by_digits(entries, std::numeric_limits<std::make_unsigned_t<Key>>::digits);

  // Divides the numbers into 256 groups of about equal size.
  std::vector<std::uint8_t> group(numbers);
  std::vector<std::uint32_t> first(groups);
  std::vector<std::uint16_t> xs(numbers + behind, std::numeric_limits<std::uint16_t>::max());
  std::vector<std::uint16_t> ys(numbers + behind, std::numeric_limits<std::uint16_t>::max());
  for (std::uint32_t g = 0; g < groups; ++g) {
    first[g] = static_cast<std::uint32_t>(g * numbers / groups);
    const auto end = static_cast<std::uint32_t>((g + 1) * numbers / groups);
    for (std::uint32_t i = first[g]; i < end; ++i) {
      xs[i] = entries[i].x;
      ys[i] = entries[i].y;
      group[static_cast<std::size_t>(entries[i].y * columns + entries[i].x)] = static_cast<std::uint8_t>(g);
    }
  }

  const auto results = static_cast<std::size_t>(tile.width * tile.height);
  std::vector<std::uint8_t> groups_of_medians(results);
  std::vector<std::uint16_t> ranks(results);
  HistogramMemory memory;
  median_bytes(tile, group.data(), memory, groups_of_medians.data(), ranks.data());

  const auto side = static_cast<std::uint16_t>(2 * tile.radius + 1);
  for (Index y = 0; y < tile.height; ++y) {
    for (Index x = 0; x < tile.width; ++x) {
      const auto at = static_cast<std::size_t>(y * tile.width + x);
      const Entry& median =
          entries[find_in_group(xs.data(), ys.data(), first[groups_of_medians[at]], static_cast<std::uint16_t>(x),
                                static_cast<std::uint16_t>(y), side, ranks[at])];
      medians[at] = keys[median.y * columns + median.x];
    }
  }
}

template void median_keys(const MedianTile&, const std::uint16_t*, std::uint16_t*);
template void median_keys(const MedianTile&, const std::int32_t*, std::int32_t*);

}  // namespace whorl::backend::cpu
