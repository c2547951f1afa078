// Last step on a CPU: one front per lane of a vector, with the schedules lane by lane; all threads.
#include <algorithm>
#include <vector>

#include "backend/cpu/simd_targets.hpp"
#include "studies/sha1_search/steps.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/sha1_search/host_vectors_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::sha1_search::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<Word>;
using Words = hn::Vec<Tag>;

template <int By>
Words rotated_left(Words x) {
  return hn::RotateRight<32 - By>(x);
}

struct Lanes {
  Words a, b, c, d, e;

  void step(Words function, Words word, Word constant) {
    const Words sum = hn::Add(hn::Add(function, e), hn::Add(word, hn::Set(Tag(), constant)));
    const Words next = hn::Add(rotated_left<5>(a), sum);
    e = d;
    d = c;
    c = rotated_left<30>(b);
    b = a;
    a = next;
  }
};

// a after the deciding step.
Words decided_by(const Word* HWY_RESTRICT fronts, const Schedule& rest) {
  const Tag tag;
  Lanes s{hn::Set(tag, initial_state[0]), hn::Set(tag, initial_state[1]), hn::Set(tag, initial_state[2]),
          hn::Set(tag, initial_state[3]), hn::Set(tag, initial_state[4])};
  const auto word = [&](std::size_t t) {
    return hn::Xor(hn::Load(tag, fronts + t * hn::Lanes(tag)), hn::Set(tag, rest[t]));
  };
  WHORL_UNROLL for (std::size_t t = 0; t < 20; ++t) {
    s.step(hn::Xor(s.d, hn::And(s.b, hn::Xor(s.c, s.d))), word(t), round_constants[0]);
  }
  WHORL_UNROLL for (std::size_t t = 20; t < 40; ++t) {
    s.step(hn::Xor(s.b, hn::Xor(s.c, s.d)), word(t), round_constants[1]);
  }
  WHORL_UNROLL for (std::size_t t = 40; t < 60; ++t) {
    s.step(hn::Or(hn::And(s.b, s.c), hn::And(s.d, hn::Or(s.b, s.c))), word(t), round_constants[2]);
  }
  WHORL_UNROLL for (std::size_t t = 60; t < deciding_step; ++t) {
    s.step(hn::Xor(s.b, hn::Xor(s.c, s.d)), word(t), round_constants[3]);
  }
  return s.a;
}

// All fronts with a few rests. Lanes beyond the last front repeat it.
void try_rests(const Search& search, const std::vector<Schedule>& rests, Index first, Outcome* outcome) {
  const Tag tag;
  const Space& space = search.space;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const Words decides = hn::Set(tag, deciding_word(search.digest));
  HWY_ALIGN std::array<Word, hash_steps*(HWY_MAX_BYTES / sizeof(Word))> fronts;
  for (Index front = 0; front < space.fronts(); front += lanes) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const Schedule one = schedule_of({space.front_word(std::min(front + lane, space.fronts() - 1))});
      for (std::size_t t = 0; t < hash_steps; ++t) {
        fronts[t * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)] = one[t];
      }
    }
    const Index here = std::min(lanes, space.fronts() - front);
    for (std::size_t i = 0; i < rests.size(); ++i) {
      outcome->tried += here;
      if (hn::AllFalse(tag, hn::Eq(decided_by(fronts.data(), rests[i]), decides))) continue;
      for (Index lane = 0; lane < here; ++lane) {
        const Index string = front + lane + space.fronts() * (first + static_cast<Index>(i));
        if (textbook_sha1(space.string_at(string)) == search.digest) outcome->found = string;
      }
    }
  }
}

}  // namespace whorl::studies::sha1_search::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::sha1_search {

HWY_EXPORT(try_rests);

Outcome by_vectors(const Context& ctx, const Search& search) {
  constexpr Index rests_at_once = 64;
  Outcome all;
#pragma omp parallel for schedule(dynamic) num_threads(ctx.threads())
  for (Index from = search.first; from < search.last; from += rests_at_once) {
    const std::vector<Schedule> rests = rest_schedules(search.space, from, std::min(from + rests_at_once, search.last));
    Outcome part;
    HWY_DYNAMIC_DISPATCH(try_rests)(search, rests, from, &part);
#pragma omp critical
    {
      all.tried += part.tried;
      all.found = std::max(all.found, part.found);
    }
  }
  return all;
}

}  // namespace whorl::studies::sha1_search

#endif
