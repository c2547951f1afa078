// Sorted lists in the lanes of vectors, and their merging by networks of comparators. Included once for each target.
//
// Two sorted lists, the second turned round, are a bitonic sequence: it falls, then rises. Comparing its numbers half
// its length apart leaves the smaller half of them in the one half of the places and the larger in the other, both
// bitonic again (Batcher 1968, doi:10.1145/1468075.1468121). A sequence shorter than a power of two is taken as if
// infinite numbers followed it: comparators with them change nothing and are left out.
#if defined(WHORL_SORTED_LISTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_SORTED_LISTS_INL
#undef WHORL_SORTED_LISTS_INL
#else
#define WHORL_SORTED_LISTS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
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

/// A list has one vector of so many numbers behind the other.
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

/// What can be held in registers: that many numbers of a list.
constexpr Index most_held = 16;

/// Sorts what is bitonic.
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
    // Pairs of sorted parts become bitonic by comparing from their ends.
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
  WHORL_UNROLL
  for (Index i = 0; i < size; ++i) numbers[i] = i < count ? load(list, i) : infinite<Key>();
  sort_bitonic<size>(numbers);
  store_first<size>(numbers, needed, list);
}

/// Two levels of comparators, which stay within numbers a quarter of `size` apart, of those that at(i) gives for i
/// below `count`. With `low` the second half of the results is not wanted.
template <bool low, class Key, class At>
HWY_INLINE void compare_quarters(const At& at, Index size, Index count, Key* to) {
  const Index quarter = size / 4;
  Key* const quarters[] = {to, to + quarter * list_lanes<Key>, to + 2 * quarter * list_lanes<Key>,
                           to + 3 * quarter * list_lanes<Key>};
  const Index four = std::max<Index>(0, count - 3 * quarter);
  const Index three = std::min(quarter, count - 2 * quarter);
  Index i = 0;
  for (; i < four; ++i) {
    auto a = at(i);
    auto b = at(i + quarter);
    auto c = at(i + 2 * quarter);
    auto d = at(i + 3 * quarter);
    compare(a, c);
    compare(b, d);
    compare(a, b);
    store(a, quarters[0], i);
    store(b, quarters[1], i);
    if constexpr (!low) {
      compare(c, d);
      store(c, quarters[2], i);
      store(d, quarters[3], i);
    }
  }
  for (; i < three; ++i) {
    auto a = at(i);
    auto b = at(i + quarter);
    auto c = at(i + 2 * quarter);
    compare(a, c);
    compare(a, b);
    store(a, quarters[0], i);
    store(b, quarters[1], i);
    if constexpr (!low) store(c, quarters[2], i);
  }
  for (; i < quarter; ++i) {
    auto a = at(i);
    auto b = at(i + quarter);
    compare(a, b);
    store(a, quarters[0], i);
    store(b, quarters[1], i);
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
      for (Index i = 0; i < count - half; ++i) {
        auto a = load(list, i);
        auto b = load(upper, i);
        compare(a, b);
        store(a, list, i);
        store(b, upper, i);
      }
      sort_list(list, half, std::min(half, needed));
    } else {
      const Index quarter = half / 2;
      compare_quarters<false>([=](Index i) HWY_ATTR { return load(list, i); }, 2 * half, count, list);
      sort_list(list, quarter, std::min(quarter, needed));
      sort_list(list + quarter * list_lanes<Key>, quarter, std::min(quarter, needed - quarter));
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

/// Two sorted lists, the second turned round before the first. Of the `dropped` first numbers of both, at most as many
/// as the second has, the larger ones of pairs are left: they are not among the smallest ones of all.
template <bool drops, class Key>
struct Bitonic {
  List<Key> a, b;
  Index dropped;

  HWY_INLINE Index count() const { return a.count + b.count - dropped; }
  HWY_INLINE ListVector<Key> operator()(Index i) const {
    const Index of_b = b.count - 1 - i;
    const Index of_a = i - b.count + dropped;
    if constexpr (drops) {
      return hn::Max(of_a >= 0 ? load(a.numbers, of_a) : load(b.numbers, of_b),
                     of_b >= 0 ? load(b.numbers, of_b) : load(a.numbers, of_a));
    } else {
      return of_b >= 0 ? load(b.numbers, of_b) : load(a.numbers, of_a);
    }
  }
};

/// The `needed` smallest numbers of `sequence`, sorted.
template <bool drops, class Key>
void sort_sequence(const Bitonic<drops, Key>& sequence, Index needed, Key* to) {
  const Index count = sequence.count();
  ListVector<Key> held[most_held];
  if (count <= most_held / 2) {
    WHORL_UNROLL
    for (Index i = 0; i < most_held / 2; ++i) held[i] = i < count ? sequence(i) : infinite<Key>();
    sort_bitonic<most_held / 2>(held);
    return store_first<most_held / 2>(held, needed, to);
  }
  if (count <= 2 * most_held) {
    WHORL_UNROLL
    for (Index i = 0; i < most_held; ++i) {
      held[i] = i < count ? sequence(i) : infinite<Key>();
      if (i + most_held >= count) continue;
      auto upper = sequence(i + most_held);
      compare(held[i], upper);
      if (needed > most_held) store(upper, to, i + most_held);
    }
    sort_bitonic<most_held>(held);
    store_first<most_held>(held, needed, to);
    return sort_list(to + most_held * list_lanes<Key>, count - most_held, needed - most_held);
  }
  Index quarter = most_held;
  while (4 * quarter < count) quarter *= 2;
  const Index half = 2 * quarter;
  if (needed <= half) {
    compare_quarters<true>(sequence, 2 * half, count, to);
  } else {
    compare_quarters<false>(sequence, 2 * half, count, to);
    sort_list(to + half * list_lanes<Key>, std::min(quarter, count - half), std::min(quarter, needed - half));
    sort_list(to + (half + quarter) * list_lanes<Key>, count - half - quarter, needed - half - quarter);
  }
  sort_list(to, quarter, std::min(quarter, needed));
  sort_list(to + quarter * list_lanes<Key>, quarter, std::min(quarter, needed - quarter));
}

/// Of the sorted numbers of two lists those of rank `from` to `end`, where `from` is not above the length of either.
/// `to` has room for those from `from` on.
template <class Key>
HWY_INLINE void merge(List<Key> a, List<Key> b, Index from, Index end, Key* to) {
  if (a.count < b.count) std::swap(a, b);
  if (from > 0) return sort_sequence(Bitonic<true, Key>{a, b, from}, end - from, to);
  sort_sequence(Bitonic<false, Key>{a, b, 0}, end, to);
}

/// A list and one number.
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

/// A list of at least two numbers and two more, low <= high.
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
