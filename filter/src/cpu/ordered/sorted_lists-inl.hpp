// Sorted lists in the lanes of vectors, and their merging by networks of comparators. Included once for each target.
//
// Two sorted lists, one of them reversed, form a bitonic sequence: it falls, then rises. Comparators between numbers
// that are half its length apart move the smaller half of the numbers to one half of the places and the larger half to
// the other; both halves are again bitonic (Batcher 1968, doi:10.1145/1468075.1468121). A sequence shorter than a power
// of two is treated as if infinite numbers followed it: comparators with these change nothing and are left out.
#if defined(WHORL_SORTED_LISTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_SORTED_LISTS_INL
#undef WHORL_SORTED_LISTS_INL
#else
#define WHORL_SORTED_LISTS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "backend/cpu/simd_targets.hpp"
#include "whorl/core/view.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Key>
using ListTag = hn::CappedTag<Key, 64 / sizeof(Key)>;
template <class Key>
using ListVector = hn::Vec<ListTag<Key>>;

/// A list is one vector after the other.
template <class Key>
constexpr auto list_lanes = static_cast<Index>(hn::MaxLanes(ListTag<Key>()));

template <class Key>
HWY_INLINE ListVector<Key> load(const Key* list, Index i) {
  return hn::LoadU(ListTag<Key>(), list + i * list_lanes<Key>);
}

template <class Key>
HWY_INLINE void store(ListVector<Key> vector, Key* list, Index i) {
  hn::Store(vector, ListTag<Key>(), list + i * list_lanes<Key>);
}

template <class V>
HWY_INLINE void compare(V& a, V& b) {
  const V low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}

/// The largest part of a list that is held in registers.
constexpr Index most_held = 16;

/// Sorts a bitonic sequence.
template <Index size, class V>
HWY_INLINE void sort_bitonic(V* numbers) {
  WHORL_UNROLL
  for (Index apart = size / 2; apart > 0; apart /= 2) {
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) {
      if ((i & apart) == 0) compare(numbers[i], numbers[i + apart]);
    }
  }
}

template <Index size, class V>
HWY_INLINE void sort_numbers(V* numbers) {
  WHORL_UNROLL
  for (Index sorted = 1; sorted < size; sorted *= 2) {
    // Comparing pairs of sorted parts from their ends makes them bitonic.
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) {
      if ((i & sorted) == 0) compare(numbers[i], numbers[i ^ (2 * sorted - 1)]);
    }
    WHORL_UNROLL
    for (Index apart = sorted / 2; apart > 0; apart /= 2) {
      WHORL_UNROLL
      for (Index i = 0; i < size; ++i) {
        if ((i & apart) == 0) compare(numbers[i], numbers[i + apart]);
      }
    }
  }
}

template <Index size, class Key>
HWY_INLINE void store_first(const ListVector<Key>* numbers, Index count, Key* list) {
  WHORL_UNROLL
  for (Index i = 0; i < size; ++i) {
    if (i == count) return;
    store(numbers[i], list, i);
  }
}

template <class Key>
HWY_INLINE ListVector<Key> infinite() {
  return hn::Set(ListTag<Key>(), std::numeric_limits<Key>::max());
}

/// The `needed` smallest of `count` numbers of a bitonic list, sorted.
template <Index size, class Key>
HWY_INLINE void sort_held(Key* list, Index count, Index needed) {
  ListVector<Key> numbers[size];
  if (needed == size) {
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) numbers[i] = load(list, i);
    sort_bitonic<size>(numbers);
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) store(numbers[i], list, i);
  } else {
    WHORL_UNROLL
    for (Index i = 0; i < size; ++i) numbers[i] = i < count ? load(list, i) : infinite<Key>();
    sort_bitonic<size>(numbers);
    store_first<size>(numbers, needed, list);
  }
}

/// Two levels of comparators, which stay within numbers a quarter of `size` apart, for a list of `count` numbers. With
/// `low` the second half of the results is not wanted.
template <bool low, class Key>
HWY_INLINE void compare_quarters(Key* list, Index size, Index count) {
  const Index quarter = size / 4;
  Key* const q1 = list + quarter * list_lanes<Key>;
  Key* const q2 = list + 2 * quarter * list_lanes<Key>;
  Key* const q3 = list + 3 * quarter * list_lanes<Key>;
  const Index four = std::max<Index>(0, count - 3 * quarter);
  const Index three = std::min(quarter, count - 2 * quarter);
  Index i = 0;
  for (; i < four; ++i) {
    auto a = load(list, i);
    auto b = load(q1, i);
    auto c = load(q2, i);
    auto d = load(q3, i);
    compare(a, c);
    compare(b, d);
    compare(a, b);
    store(a, list, i);
    store(b, q1, i);
    if constexpr (!low) {
      compare(c, d);
      store(c, q2, i);
      store(d, q3, i);
    }
  }
  for (; i < three; ++i) {
    auto a = load(list, i);
    auto b = load(q1, i);
    auto c = load(q2, i);
    compare(a, c);
    compare(a, b);
    store(a, list, i);
    store(b, q1, i);
    if constexpr (!low) store(c, q2, i);
  }
  for (; i < quarter; ++i) {
    auto a = load(list, i);
    auto b = load(q1, i);
    compare(a, b);
    store(a, list, i);
    store(b, q1, i);
  }
}

/// The `needed` smallest of `count` numbers of a bitonic list, sorted.
template <class Key>
void sort_list(Key* list, Index count, Index needed) {
  while (needed > 0) {
    if (count <= most_held / 2) return sort_held<most_held / 2>(list, count, needed);
    if (count <= most_held) return sort_held<most_held>(list, count, needed);
    Index half = most_held;
    while (2 * half < count) half *= 2;
    Key* upper = list + half * list_lanes<Key>;
    if (half == most_held) {
      if (needed <= half) {
        ListVector<Key> numbers[most_held];
        WHORL_UNROLL
        for (Index i = 0; i < most_held; ++i) {
          numbers[i] = load(list, i);
          if (i < count - most_held) numbers[i] = hn::Min(numbers[i], load(upper, i));
        }
        sort_bitonic<most_held>(numbers);
        return store_first<most_held>(numbers, needed, list);
      }
      for (Index i = 0; i < count - half; ++i) {
        auto a = load(list, i);
        auto b = load(upper, i);
        compare(a, b);
        store(a, list, i);
        store(b, upper, i);
      }
      sort_held<most_held>(list, half, half);
    } else {
      const Index quarter = half / 2;
      Key* const second = list + quarter * list_lanes<Key>;
      if (needed <= half) {
        compare_quarters<true>(list, 2 * half, count);
        sort_list(list, quarter, std::min(quarter, needed));
        return sort_list(second, quarter, needed - quarter);
      }
      compare_quarters<false>(list, 2 * half, count);
      sort_list(list, quarter, quarter);
      sort_list(second, quarter, quarter);
      sort_list(upper, std::min(quarter, count - half), std::min(quarter, needed - half));
      upper += quarter * list_lanes<Key>;
      half += quarter;
    }
    list = upper;
    count -= half;
    needed -= half;
  }
}

template <class Key>
struct List {
  const Key* numbers;
  Index count;
};

/// The numbers of rank `from` to `end` of two merged sorted lists, where `from` is at most the length of either list.
/// `to` has space for the numbers from rank `from` on.
template <class Key>
void merge(List<Key> a, List<Key> b, Index from, Index end, Key* to) {
  // The reversed second list precedes the first. Among the first `from` numbers of both lists, the larger one of each pair
  // is kept, because the smaller ones are the smallest numbers of all.
  Key* next = to;
  for (Index i = b.count - 1; i >= from; --i, next += list_lanes<Key>) store(load(b.numbers, i), next, 0);
  for (Index i = 0; i < from; ++i, next += list_lanes<Key>) {
    store(hn::Max(load(a.numbers, i), load(b.numbers, from - 1 - i)), next, 0);
  }
  for (Index i = from; i < a.count; ++i, next += list_lanes<Key>) store(load(a.numbers, i), next, 0);
  sort_list(to, a.count + b.count - from, end - from);
}

/// Merges a list and one number.
template <class Key>
HWY_INLINE void insert(List<Key> list, ListVector<Key> number, Key* to) {
  auto before = load(list.numbers, 0);
  store(hn::Min(before, number), to, 0);
  for (Index i = 1; i < list.count; ++i) {
    const auto next = load(list.numbers, i);
    store(hn::Min(hn::Max(before, number), next), to, i);
    before = next;
  }
  store(hn::Max(before, number), to, list.count);
}

/// Merges a list of at least two numbers and two more numbers, low <= high.
template <class Key>
HWY_INLINE void insert_two(List<Key> list, ListVector<Key> low, ListVector<Key> high, Key* to) {
  auto before = load(list.numbers, 0);
  auto last = load(list.numbers, 1);
  store(hn::Min(before, low), to, 0);
  store(hn::Min(hn::Min(last, hn::Max(before, low)), high), to, 1);
  for (Index i = 2; i < list.count; ++i) {
    const auto next = load(list.numbers, i);
    store(hn::Min(hn::Min(next, hn::Max(last, low)), hn::Max(before, high)), to, i);
    before = last;
    last = next;
  }
  store(hn::Min(hn::Max(last, low), hn::Max(before, high)), to, list.count);
  store(hn::Max(last, high), to, list.count + 1);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
