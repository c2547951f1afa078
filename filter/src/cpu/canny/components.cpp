#include "filter/src/cpu/canny/components.hpp"
#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>
#include <vector>

namespace whorl::backend::cpu {

namespace {

using Word = std::uint32_t;
constexpr int last_bit = kernels::BitMasks::word_bits - 1;

// The runs of ones of a mask that contain a bit of `seeds`, which is a subset of the mask. The carry of a sum reaches
// from a seed to the upper end of its run; shifts of doubled length reach the lower end.
Word filled(Word mask, Word seeds) {
  Word grown = (((mask + seeds) ^ mask) & mask) | seeds;
  Word through = mask;
  for (int step = 1; step <= last_bit; step *= 2) {
    grown |= through & (grown >> step);
    through &= through >> step;
  }
  return grown;
}

// Rows of a slice in which one thread grows seeds, word by word. Words whose seeds grew wait on a stack, to grow into
// the words around them.
class Band {
 public:
  Band(Index words_per_row, const Word* mask, Word* seeds, Index first, Index last)
      : words_per_row_(words_per_row), mask_(mask), seeds_(seeds), first_(first), last_(last) {}

  void grow_all(const Context& ctx) {
    for (Index at = first_ * words_per_row_; at < last_ * words_per_row_; ++at) {
      if (seeds_[at] == 0) continue;
      if (ctx.cancel_requested()) return;
      seeds_[at] = filled(mask_[at], seeds_[at]);
      waiting_.push_back(at);
      grow_waiting();
    }
  }

  void grow_waiting() {
    while (!waiting_.empty()) {
      const Index at = waiting_.back();
      waiting_.pop_back();
      const Index row = at / words_per_row_;
      for (Index to = std::max(row - 1, first_); to <= std::min(row + 1, last_ - 1); ++to) grow_into(to, at);
    }
  }

  /// Grows seeds of a row beside the band into a row of the band. Returns whether any grew.
  bool grow_from(Index row, Index to) {
    for (Index at = row * words_per_row_; at < (row + 1) * words_per_row_; ++at) grow_into(to, at);
    return !waiting_.empty();
  }

  Index first() const { return first_; }

 private:
  void grow_into(Index row, Index from) {
    const Word seeds = seeds_[from];
    if (seeds == 0) return;
    const Index word = from % words_per_row_;
    const Index at = row * words_per_row_ + word;
    add(at, seeds | (seeds << 1) | (seeds >> 1));
    if (word > 0) add(at - 1, seeds << last_bit);
    if (word + 1 < words_per_row_) add(at + 1, seeds >> last_bit);
  }

  void add(Index at, Word bits) {
    const Word seeds = seeds_[at];
    bits &= mask_[at] & ~seeds;
    if (bits == 0) return;
    seeds_[at] = filled(mask_[at], seeds | bits);
    waiting_.push_back(at);
  }

  Index words_per_row_;
  const Word* mask_;
  Word* seeds_;
  Index first_, last_;
  std::vector<Index> waiting_;
};

// Carries seeds across the borders between the bands of a slice. Returns whether any grew.
bool grow_across(std::vector<Band>& bands, Index height) {
  bool grew = false;
  for (std::size_t b = 1; b < bands.size(); ++b) {
    const Index row = bands[b].first();
    if (row % height == 0) continue;
    // Both are evaluated, one after the other, so that neither is skipped.
    const bool down = bands[b].grow_from(row - 1, row);
    const bool up = bands[b - 1].grow_from(row, row - 1);
    grew = grew || down || up;
  }
  return grew;
}

}  // namespace

void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds) {
  const Index per_slice = std::min(divide_up(ctx.threads(), masks.slices), masks.height);
  std::vector<Band> bands;
  for (Index slice = 0; slice < masks.slices; ++slice) {
    for (Index b = 0; b < per_slice; ++b) {
      const Index top = slice * masks.height;
      bands.emplace_back(masks.words_per_row(), mask, seeds, top + b * masks.height / per_slice,
                         top + (b + 1) * masks.height / per_slice);
    }
  }
  const auto count = static_cast<Index>(bands.size());
  detail::parallel_for(ctx, "canny", 0, count, [&](Index b) { bands[b].grow_all(ctx); });
  while (!ctx.cancel_requested() && grow_across(bands, masks.height)) {
    detail::parallel_for(ctx, "canny", 0, count, [&](Index b) { bands[b].grow_waiting(); });
  }
}

}  // namespace whorl::backend::cpu
