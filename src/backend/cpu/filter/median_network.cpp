#include "backend/cpu/filter/median_network.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace whorl::backend::cpu {

namespace {

// Bytes by which loads may go beyond a row's end: those of the longest step of run_network.
constexpr Index slack = 256;

using Wires = std::vector<int>;
using Pairs = std::vector<std::pair<int, int>>;

Wires every_other(const Wires& wires, std::size_t first) {
  Wires taken;
  for (std::size_t i = first; i < wires.size(); i += 2) taken.push_back(wires[i]);
  return taken;
}

// Batcher's odd-even merge of two sorted lists of any lengths (D. E. Knuth, The art of computer programming, 5.3.4).
// Returns the wires in the order of what is on them.
Wires merge(const Wires& a, const Wires& b, Pairs& pairs) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (a.size() == 1 && b.size() == 1) {
    pairs.emplace_back(a[0], b[0]);
    return {a[0], b[0]};
  }
  const Wires even = merge(every_other(a, 0), every_other(b, 0), pairs);
  const Wires odd = merge(every_other(a, 1), every_other(b, 1), pairs);
  Wires sorted{even[0]};
  for (std::size_t i = 0; i < std::max(odd.size(), even.size() - 1); ++i) {
    if (i < odd.size() && i + 1 < even.size()) pairs.emplace_back(odd[i], even[i + 1]);
    if (i < odd.size()) sorted.push_back(odd[i]);
    if (i + 1 < even.size()) sorted.push_back(even[i + 1]);
  }
  return sorted;
}

Wires sort(const Wires& wires, Pairs& pairs) {
  if (wires.size() < 2) return wires;
  const auto middle = wires.begin() + static_cast<std::ptrdiff_t>(wires.size() / 2);
  return merge(sort(Wires(wires.begin(), middle), pairs), sort(Wires(middle, wires.end()), pairs), pairs);
}

// Sorted columns side by side.
struct Block {
  Index columns = 0;
  Index first_row = 0;  // of the memory; the smallest numbers come first
  Index rows = 0;
  Index dropped = 0;  // of its numbers, those that are too small to be the median
};

// How blocks are made, and the two that make the window: those with the fewest comparators of the ones that were tried.
struct Recipe {
  std::vector<std::pair<Index, Index>> merges;
  std::pair<Index, Index> window;
};
using Merges = std::vector<std::pair<Index, Index>>;
const std::array<Recipe, largest_network_radius + 1>& recipes() {
  static const std::array<Recipe, largest_network_radius + 1> all{{
      {},
      {Merges{{1, 1}}, {2, 1}},
      {Merges{{1, 1}, {2, 1}}, {3, 2}},
      {Merges{{1, 1}, {2, 1}, {2, 2}}, {4, 3}},
      {Merges{{1, 1}, {2, 2}, {4, 1}}, {5, 4}},
      {Merges{{1, 1}, {2, 1}, {3, 2}, {3, 3}}, {6, 5}},
      {Merges{{1, 1}, {2, 1}, {3, 3}, {6, 1}}, {7, 6}},
      {Merges{{1, 1}, {2, 1}, {3, 3}, {6, 3}}, {9, 6}},
  }};
  return all;
}

class Builder {
 public:
  Builder(Index radius, Index strip, Index pixel) : side_(2 * radius + 1), strip_(strip), pixel_(pixel) {
    constexpr Index line = 128;
    // An odd number of lines, so that the rows of a column do not meet in one set of a cache.
    network_.stride = ((strip + 2 * radius * pixel + slack + line - 1) / line | 1) * line;
    rows_ = side_;
  }

  MedianNetwork build(const Recipe& recipe) {
    blocks_[1] = sorted_columns();
    for (const auto& [a, b] : recipe.merges) blocks_[a + b] = merged(blocks_.at(a), blocks_.at(b));
    select(blocks_.at(recipe.window.first), blocks_.at(recipe.window.second));
    network_.bytes = rows_ * network_.stride + slack;
    return std::move(network_);
  }

 private:
  Index place(Index row, Index column = 0) const { return row * network_.stride + column * pixel_; }

  Block sorted_columns() {
    Wires wires;
    std::vector<Index> places;
    for (Index row = 0; row < side_; ++row) {
      wires.push_back(static_cast<int>(row));
      places.push_back(place(row));
    }
    Pairs pairs;
    const Wires sorted = sort(wires, pairs);
    return add_stage({1, 0, side_, 0}, places, pairs, sorted);
  }

  Block merged(const Block& a, const Block& b) {
    Wires from_a;
    Wires from_b;
    std::vector<Index> places;
    for (Index i = 0; i < a.rows; ++i) {
      from_a.push_back(static_cast<int>(places.size()));
      places.push_back(place(a.first_row + i));
    }
    for (Index i = 0; i < b.rows; ++i) {
      from_b.push_back(static_cast<int>(places.size()));
      places.push_back(place(b.first_row + i, a.columns));
    }
    Pairs pairs;
    const Wires sorted = merge(from_a, from_b, pairs);
    return add_stage({a.columns + b.columns, 0, a.rows + b.rows, a.dropped + b.dropped}, places, pairs, sorted);
  }

  // Leaves out the numbers of a block that can not be the median, and the comparators that only they need.
  Block add_stage(Block block, const std::vector<Index>& places, const Pairs& pairs, const Wires& sorted) {
    const Index numbers = side_ * side_;
    const Index median = numbers / 2;
    const Index held = block.columns * side_;
    std::vector<bool> needed(places.size());
    std::vector<Index> home(places.size());
    Block kept{block.columns, rows_, 0, block.dropped};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const Index rank = block.dropped + static_cast<Index>(i);
      const auto wire = static_cast<std::size_t>(sorted[i]);
      // As many larger ones as the whole window has above its median, or smaller ones as below.
      const bool too_small = held - 1 - rank > median;
      needed[wire] = !too_small && rank <= median;
      if (too_small) ++kept.dropped;
      if (needed[wire]) home[wire] = place(rows_ + kept.rows++);
    }
    rows_ += kept.rows;
    for (std::size_t wire = 0; wire < home.size(); ++wire) {
      if (!needed[wire]) home[wire] = place(rows_++);
    }
    stage_ = {{}, strip_ + (side_ - block.columns) * pixel_};
    emit(places, pairs, needed, home);
    network_.stages.push_back(std::move(stage_));
    return kept;
  }

  void emit(std::vector<Index> places, const Pairs& pairs, const std::vector<bool>& needed,
            const std::vector<Index>& home) {
    std::vector<Compare> kinds(pairs.size());
    std::vector<bool> used(pairs.size());
    std::vector<bool> live = needed;
    for (std::size_t i = pairs.size(); i-- > 0;) {
      const auto a = static_cast<std::size_t>(pairs[i].first);
      const auto b = static_cast<std::size_t>(pairs[i].second);
      used[i] = live[a] || live[b];
      if (!used[i]) continue;
      kinds[i] = !live[b] ? Compare::low : !live[a] ? Compare::high : Compare::both;
      live[a] = live[b] = true;
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!used[i]) continue;
      const auto a = static_cast<std::size_t>(pairs[i].first);
      const auto b = static_cast<std::size_t>(pairs[i].second);
      add(kinds[i], places[a], places[b], home[a], home[b]);
      places[a] = home[a];
      places[b] = home[b];
    }
    for (std::size_t wire = 0; wire < home.size(); ++wire) {
      if (needed[wire] && places[wire] != home[wire]) {
        add(Compare::low, places[wire], places[wire], home[wire], home[wire]);
      }
    }
  }

  // The number of rank k of two sorted lists is the smallest over i of max(a[i - 1], b[k - i]), where those left of a
  // list are smaller than all others.
  void select(const Block& a, const Block& b) {
    stage_ = {{}, strip_};
    network_.result = place(rows_++);
    const Index rank = side_ * side_ / 2 - a.dropped - b.dropped;
    for (Index i = std::max<Index>(0, rank + 1 - b.rows); i <= std::min(a.rows, rank + 1); ++i) {
      const Index from_a = place(a.first_row + i - 1);
      const Index from_b = place(b.first_row + rank - i, a.columns);
      add(Compare::select, i == 0 ? from_b : from_a, i == rank + 1 ? from_a : from_b, network_.result, network_.result);
    }
    network_.stages.push_back(std::move(stage_));
  }

  void add(Compare kind, Index a, Index b, Index low, Index high) {
    if (stage_.runs.empty() || stage_.runs.back().kind != kind) stage_.runs.push_back({kind, {}});
    stage_.runs.back().comparators.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                                              static_cast<std::int32_t>(low), static_cast<std::int32_t>(high)});
  }

  Index side_, strip_, pixel_;
  Index rows_ = 0;
  std::map<Index, Block> blocks_;
  NetworkStage stage_{};
  MedianNetwork network_;
};

}  // namespace

MedianNetwork median_network(Index radius, Index strip, Index pixel) {
  return Builder(radius, strip, pixel).build(recipes()[static_cast<std::size_t>(radius)]);
}

}  // namespace whorl::backend::cpu
