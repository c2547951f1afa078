#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/ordered/median_network.hpp"
#include "whorl/core/integer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/ordered/median_network_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "filter/src/kernels/ordered/comparator_network.hpp"

#ifndef WHORL_MEDIAN_NETWORK_ONCE
#define WHORL_MEDIAN_NETWORK_ONCE
namespace whorl::backend::cpu {

using kernels::Comparator;
using kernels::Compare;
using kernels::Network;

// Bytes of the widest vector, and of the padding of rows.
constexpr Index vector_bytes = 64;

// The places of rows. They are an odd number of vectors apart, so that the rows of a column fall into different sets of
// a cache.
template <class Key>
struct Rows {
  Key* first;
  Index stride, width, channels;
};

// Several columns, sorted together. Only the numbers from rank `dropped` on are kept, which can be the median of a
// window of side x side numbers.
struct Block {
  Index side, columns;
  constexpr Index held() const { return side * columns; }
  constexpr Index median() const { return side * side / 2; }
  constexpr Index dropped() const { return std::max<Index>(0, held() - 1 - median()); }
  constexpr Index rows() const { return std::min(held() - 1, median()) + 1 - dropped(); }
};

}  // namespace whorl::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Key>
using KeyTag = hn::CappedTag<Key, vector_bytes / sizeof(Key)>;
template <class Key>
using KeyVector = hn::Vec<KeyTag<Key>>;

template <Comparator c, class V>
HWY_INLINE void compare(V* wires) {
  const V a = wires[c.a];
  const V b = wires[c.b];
  if constexpr (c.kind == Compare::both || c.kind == Compare::low) wires[c.a] = hn::Min(a, b);
  if constexpr (c.kind == Compare::both || c.kind == Compare::high) wires[c.b] = hn::Max(a, b);
}

template <const Network& network, class V, std::size_t... i>
HWY_INLINE void run_comparators(V* wires, std::index_sequence<i...> /*all*/) {
  (compare<network.comparators[i]>(wires), ...);
}

template <const Network& network, class Key, std::size_t... i>
HWY_INLINE void store_sorted(const KeyVector<Key>* wires, Key* to, Index stride, std::index_sequence<i...> /*all*/) {
  const KeyTag<Key> d;
  (hn::Store(wires[network.sorted.at[i]], d, to + static_cast<Index>(i) * stride), ...);
}

template <const Network& network, Index a_rows, Index b_rows, class Key>
HWY_INLINE void run_stage(const Rows<Key>& rows, Index a, Index b, Index b_column, Index to, Index columns) {
  const KeyTag<Key> d;
  const Index numbers = rows.width + columns * rows.channels;
  const Key* from_a = rows.first + a * rows.stride;
  const Key* from_b = rows.first + b * rows.stride + b_column * rows.channels;
  Key* result = rows.first + to * rows.stride;
  for (Index x = 0; x < numbers; x += static_cast<Index>(hn::Lanes(d))) {
    KeyVector<Key> wires[a_rows + b_rows];
    WHORL_UNROLL
    for (Index i = 0; i < a_rows; ++i) wires[i] = hn::Load(d, from_a + i * rows.stride + x);
    WHORL_UNROLL
    for (Index i = 0; i < b_rows; ++i) wires[a_rows + i] = hn::LoadU(d, from_b + i * rows.stride + x);
    run_comparators<network>(wires, std::make_index_sequence<network.count>());
    store_sorted<network, Key>(wires, result + x, rows.stride, std::make_index_sequence<network.sorted.count>());
  }
}

template <Index side>
inline constexpr Network column_network = kernels::sorting_network(side);
template <Index side, Index a, Index b>
inline constexpr Network block_network = kernels::merging_network(Block{side, a}.rows(), Block{side, b}.rows(),
                                                                  Block{side, a + b}.dropped(),
                                                                  Block{side, a + b}.dropped() +
                                                                      Block{side, a + b}.rows());

// Merges a block of a columns and one of b columns, which begin at the given rows, into a block of a + b columns.
template <Index side, Index a, Index b, class Key>
HWY_INLINE void merge_blocks(const Rows<Key>& rows, Index row_a, Index row_b, Index to) {
  run_stage<block_network<side, a, b>, Block{side, a}.rows(), Block{side, b}.rows()>(rows, row_a, row_b, a, to,
                                                                                     side - a - b);
}

// The number of rank k of two sorted lists is the smallest over i of max(a[i - 1], b[k - i]), where those left of a
// list are smaller than all others.
template <Index side, Index a, Index b, class Key>
HWY_INLINE void select_median(const Rows<Key>& rows, Index row_a, Index row_b, Index to) {
  constexpr Block first{side, a};
  constexpr Block second{side, b};
  constexpr Index rank = first.median() - first.dropped() - second.dropped();
  constexpr Index from = std::max<Index>(0, rank + 1 - second.rows());
  constexpr Index end = std::min(first.rows(), rank + 1);
  const KeyTag<Key> d;
  for (Index x = 0; x < rows.width; x += static_cast<Index>(hn::Lanes(d))) {
    const Key* at_a = rows.first + row_a * rows.stride + x;
    const Key* at_b = rows.first + row_b * rows.stride + a * rows.channels + x;
    const auto larger = [&](Index i) HWY_ATTR {
      if (i == 0) return hn::LoadU(d, at_b + rank * rows.stride);
      const auto number = hn::Load(d, at_a + (i - 1) * rows.stride);
      return i == rank + 1 ? number : hn::Max(number, hn::LoadU(d, at_b + (rank - i) * rows.stride));
    };
    auto median = larger(from);
    WHORL_UNROLL
    for (Index i = from + 1; i <= end; ++i) median = hn::Min(median, larger(i));
    hn::Store(median, d, rows.first + to * rows.stride + x);
  }
}

template <Index side, class Key>
HWY_INLINE void sort_columns(const Rows<Key>& rows) {
  run_stage<column_network<side>, side, 0>(rows, 0, 0, 0, side, side - 1);
}

// The median of 3 x 3 numbers in sorted columns is the median of three numbers: the largest of the columns' smallest
// ones, the median of their middle ones, and the smallest of their largest ones.
template <class Key>
HWY_INLINE void medians_of_9(const Rows<Key>& rows) {
  sort_columns<3>(rows);
  const KeyTag<Key> d;
  const Index c = rows.channels;
  const auto middle = [](auto p, auto q, auto r) HWY_ATTR { return hn::Max(hn::Min(p, q), hn::Min(hn::Max(p, q), r)); };
  for (Index x = 0; x < rows.width; x += static_cast<Index>(hn::Lanes(d))) {
    const Key* low = rows.first + 3 * rows.stride + x;
    const Key* mid = low + rows.stride;
    const Key* high = mid + rows.stride;
    const auto largest = hn::Max(hn::Max(hn::Load(d, low), hn::LoadU(d, low + c)), hn::LoadU(d, low + 2 * c));
    const auto smallest = hn::Min(hn::Min(hn::Load(d, high), hn::LoadU(d, high + c)), hn::LoadU(d, high + 2 * c));
    const auto median = middle(hn::Load(d, mid), hn::LoadU(d, mid + c), hn::LoadU(d, mid + 2 * c));
    hn::Store(middle(largest, median, smallest), d, rows.first + 6 * rows.stride + x);
  }
}

// The choice of the intermediate blocks was found by trying: these take the fewest comparators.
template <class Key>
void run_network(Index radius, const Rows<Key>& rows) {
  switch (radius) {
    case 1:
      return medians_of_9(rows);
    case 2:
      sort_columns<5>(rows);
      merge_blocks<5, 1, 1>(rows, 5, 5, 10);
      merge_blocks<5, 2, 1>(rows, 10, 5, 20);
      return select_median<5, 3, 2>(rows, 20, 10, 35);
    default:
      sort_columns<7>(rows);
      merge_blocks<7, 1, 1>(rows, 7, 7, 14);
      merge_blocks<7, 2, 1>(rows, 14, 7, 28);
      merge_blocks<7, 2, 2>(rows, 14, 14, 49);
      return select_median<7, 4, 3>(rows, 49, 28, 77);
  }
}

void run_bytes(Index radius, const Rows<std::uint8_t>& rows) { run_network(radius, rows); }
void run_words(Index radius, const Rows<std::uint16_t>& rows) { run_network(radius, rows); }
void run_integers(Index radius, const Rows<std::int32_t>& rows) { run_network(radius, rows); }

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(run_bytes);
HWY_EXPORT(run_words);
HWY_EXPORT(run_integers);

namespace {

// The row of the medians, by the radius.
constexpr Index result_rows[] = {0, 6, 35, 77};
// Sizes of strips that stay in the second-level cache; they are wide if there are few rows.
constexpr Index strip_bytes[] = {0, 16384, 4096, 1024};

}  // namespace

template <class Key>
NetworkRows<Key>::NetworkRows(Index radius, Index channels, Index pixels)
    : radius_(radius), channels_(channels), result_(result_rows[radius]) {
  const Index most = strip_bytes[radius] / static_cast<Index>(sizeof(Key)) / channels;
  const Index parts = divide_up(pixels, most);
  width_ = divide_up(pixels, parts) * channels;
  constexpr auto lanes = vector_bytes / static_cast<Index>(sizeof(Key));
  stride_ = (((width_ + 2 * radius * channels) / lanes + 2) | 1) * lanes;
  memory_.resize(static_cast<std::size_t>((result_ + 1) * stride_ + lanes));
  const auto misplaced = reinterpret_cast<std::uintptr_t>(memory_.data()) % vector_bytes;
  const std::size_t keys_before = (vector_bytes - misplaced) % vector_bytes / sizeof(Key);
  rows_ = memory_.data() + keys_before;
}

template <>
void NetworkRows<std::uint8_t>::run() {
  HWY_DYNAMIC_DISPATCH(run_bytes)(radius_, {rows_, stride_, width_, channels_});
}

template <>
void NetworkRows<std::uint16_t>::run() {
  HWY_DYNAMIC_DISPATCH(run_words)(radius_, {rows_, stride_, width_, channels_});
}

template <>
void NetworkRows<std::int32_t>::run() {
  HWY_DYNAMIC_DISPATCH(run_integers)(radius_, {rows_, stride_, width_, channels_});
}

template class NetworkRows<std::uint8_t>;
template class NetworkRows<std::uint16_t>;
template class NetworkRows<std::int32_t>;

}  // namespace whorl::backend::cpu
#endif
