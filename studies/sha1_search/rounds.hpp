// The steps of the hash on a CPU, unrolled: the function and constant of a step are known at compile time.
#pragma once

#include "studies/sha1_search/sha1.hpp"

namespace whorl::studies::sha1_search {

struct State {
  Word a = initial_state[0];
  Word b = initial_state[1];
  Word c = initial_state[2];
  Word d = initial_state[3];
  Word e = initial_state[4];

  void step(Word function_and_word) {
    const Word next = rotate_left(a, 5) + e + function_and_word;
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = next;
  }
};

/// Steps from the initial state on, 60 or more; word(t) is the schedule's, called in order.
template <int Steps, class WordAt>
State run_steps(const WordAt& word) {
  State s;
#pragma GCC unroll 20
  for (int t = 0; t < 20; ++t) s.step(choose(s.b, s.c, s.d) + round_constants[0] + word(t));
#pragma GCC unroll 20
  for (int t = 20; t < 40; ++t) s.step(parity(s.b, s.c, s.d) + round_constants[1] + word(t));
#pragma GCC unroll 20
  for (int t = 40; t < 60; ++t) s.step(majority(s.b, s.c, s.d) + round_constants[2] + word(t));
#pragma GCC unroll 20
  for (int t = 60; t < Steps; ++t) s.step(parity(s.b, s.c, s.d) + round_constants[3] + word(t));
  return s;
}

/// The schedule's words from a block of 16, each new one in the place of the oldest.
class RollingSchedule {
 public:
  explicit RollingSchedule(const Block& block) : words_(block) {}
  Word operator()(int t) {
    const auto at = [t](int before) { return static_cast<std::size_t>((t - before) % block_words); };
    if (t >= block_words) {
      words_[at(0)] = rotate_left(words_[at(3)] ^ words_[at(8)] ^ words_[at(14)] ^ words_[at(0)], 1);
    }
    return words_[at(0)];
  }

 private:
  Block words_;
};

inline Digest digest_of(const State& s) {
  return {initial_state[0] + s.a, initial_state[1] + s.b, initial_state[2] + s.c, initial_state[3] + s.d,
          initial_state[4] + s.e};
}

}  // namespace whorl::studies::sha1_search
