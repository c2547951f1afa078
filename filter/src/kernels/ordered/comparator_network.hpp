// Networks of comparators that sort a list or merge two lists, computed at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace whorl::kernels {

enum class Compare : std::uint8_t {
  unused,  ///< no wanted number depends on it
  both,    ///< a = min(a, b), b = max(a, b)
  low,     ///< a = min(a, b); the other result is not used
  high,    ///< b = max(a, b); the other result is not used
};

struct Comparator {
  std::uint8_t a = 0, b = 0;
  Compare kind = Compare::unused;
};

/// Wires in the order of the numbers on them.
struct Wires {
  std::size_t count = 0;
  std::array<std::uint8_t, 64> at{};

  constexpr void add(std::uint8_t wire) { at[count++] = wire; }
  constexpr Wires part(std::size_t first, std::size_t step, std::size_t end) const {
    Wires taken;
    for (std::size_t i = first; i < end; i += step) taken.add(at[i]);
    return taken;
  }
};

struct Network {
  std::size_t count = 0;
  std::array<Comparator, 256> comparators{};
  Wires sorted;  ///< the wires of the wanted numbers

  constexpr void add(std::uint8_t a, std::uint8_t b) { comparators[count++] = {a, b, Compare::both}; }

  // Batcher's odd-even merge of two sorted lists of any length (D. E. Knuth, The art of computer programming, 5.3.4).
  constexpr Wires merge(const Wires& a, const Wires& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    if (a.count == 1 && b.count == 1) {
      add(a.at[0], b.at[0]);
      Wires both = a;
      both.add(b.at[0]);
      return both;
    }
    const Wires even = merge(a.part(0, 2, a.count), b.part(0, 2, b.count));
    const Wires odd = merge(a.part(1, 2, a.count), b.part(1, 2, b.count));
    Wires merged;
    merged.add(even.at[0]);
    for (std::size_t i = 0; i < odd.count || i + 1 < even.count; ++i) {
      if (i < odd.count && i + 1 < even.count) add(odd.at[i], even.at[i + 1]);
      if (i < odd.count) merged.add(odd.at[i]);
      if (i + 1 < even.count) merged.add(even.at[i + 1]);
    }
    return merged;
  }

  constexpr Wires sort(const Wires& wires) {
    if (wires.count < 2) return wires;
    const std::size_t middle = wires.count / 2;
    const Wires lower = sort(wires.part(0, 1, middle));
    return merge(lower, sort(wires.part(middle, 1, wires.count)));
  }

  // Keeps the numbers [first, last) of the sorted ones, and the comparators that they depend on.
  constexpr void keep(const Wires& all, std::size_t first, std::size_t last) {
    sorted = all.part(first, 1, last);
    std::array<bool, 64> wanted{};
    for (std::size_t i = 0; i < sorted.count; ++i) wanted[sorted.at[i]] = true;
    for (std::size_t i = count; i-- > 0;) {
      Comparator& c = comparators[i];
      if (!wanted[c.a] && !wanted[c.b]) {
        c.kind = Compare::unused;
        continue;
      }
      c.kind = !wanted[c.b] ? Compare::low : !wanted[c.a] ? Compare::high : Compare::both;
      wanted[c.a] = wanted[c.b] = true;
    }
  }
};

constexpr Wires wires_from(std::size_t first, std::size_t count) {
  Wires wires;
  for (std::size_t i = 0; i < count; ++i) wires.add(static_cast<std::uint8_t>(first + i));
  return wires;
}

constexpr Network sorting_network(std::size_t count) {
  Network network;
  network.keep(network.sort(wires_from(0, count)), 0, count);
  return network;
}

/// Merges two sorted lists on the wires [0, a) and [a, a + b); keeps the numbers [first, last) of the merged list.
constexpr Network merging_network(std::size_t a, std::size_t b, std::size_t first, std::size_t last) {
  Network network;
  network.keep(network.merge(wires_from(0, a), wires_from(a, b)), first, last);
  return network;
}

}  // namespace whorl::kernels
