// The kernels of the ladder that keep one string in a thread, and what all of them share.
#pragma once

#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

/// The strings of a search, as the device sees them.
struct GpuSearch {
  const char* alphabet;
  int letters;
  int length;
  int front_letters;
  Index fronts;
  Index first;  ///< rests
  Index last;
  Digest digest;
  unsigned long long* tried;  ///< how many strings
  unsigned long long* found;  ///< the string with the digest; the largest number: none
};

/// The letters of a front in the first word, by division of its number.
inline __device__ Word front_word(const GpuSearch& search, int front) {
  Word word = 0;
  for (int i = 0; i < search.front_letters; ++i) {
    word |= Word{static_cast<unsigned char>(search.alphabet[front % search.letters])} << shift_of_letter(i);
    front /= search.letters;
  }
  return word;
}

/// The block of a string without the letters of its front.
inline __device__ Block rest_block(const GpuSearch& search, Index rest) {
  Block block{};
#pragma unroll
  for (int i = 0; i <= most_letters; ++i) {
    if (i >= search.front_letters && i < search.length) {
      block[i / 4] |= Word{static_cast<unsigned char>(search.alphabet[rest % search.letters])} << shift_of_letter(i);
      rest /= search.letters;
    } else if (i == search.length) {
      block[i / 4] |= Word{0x80} << shift_of_letter(i);
    }
  }
  block[block_words - 1] = 8 * search.length;
  return block;
}

inline __device__ Block block_at(const GpuSearch& search, Index string) {
  Block block = rest_block(search, string / search.fronts);
  block[0] |= front_word(search, static_cast<int>(string % search.fronts));
  return block;
}

/// Whether a block has the digest: the 80 words of the schedule in memory, and a test of the step's number in each
/// step.
inline __device__ bool has_digest(const Block& block, const Digest& digest) {
  Word w[hash_steps];
  for (int t = 0; t < block_words; ++t) w[t] = block[t];
  for (int t = block_words; t < hash_steps; ++t) {
    w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
  Word a = initial_state[0], b = initial_state[1], c = initial_state[2], d = initial_state[3], e = initial_state[4];
#pragma unroll 1
  for (int t = 0; t < hash_steps; ++t) {
    Word f;
    if (t < 20) {
      f = choose(b, c, d) + 0x5A827999;
    } else if (t < 40) {
      f = parity(b, c, d) + 0x6ED9EBA1;
    } else if (t < 60) {
      f = majority(b, c, d) + 0x8F1BBCDC;
    } else {
      f = parity(b, c, d) + 0xCA62C1D6;
    }
    const Word next = rotate_left(a, 5) + f + e + w[t];
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = next;
  }
  return initial_state[0] + a == digest[0] && initial_state[1] + b == digest[1] && initial_state[2] + c == digest[2] &&
         initial_state[3] + d == digest[3] && initial_state[4] + e == digest[4];
}

// step: funnel shifts
/// How a word is rotated: by shifts, as C++ says it, or by the instruction that shifts two words as one.
struct ByShifts {
  static __device__ Word left(Word x, int by) { return rotate_left(x, by); }
};
struct ByFunnel {
  static __device__ Word left(Word x, int by) { return __funnelshift_l(x, x, by); }
};

template <class Rotate>
struct DeviceState {
  Word a = initial_state[0], b = initial_state[1], c = initial_state[2], d = initial_state[3], e = initial_state[4];

  __device__ void step(Word function_and_word) {
    const Word next = Rotate::left(a, 5) + e + function_and_word;
    e = d;
    d = c;
    c = Rotate::left(b, 30);
    b = a;
    a = next;
  }
  __device__ bool is(const Digest& digest) const {
    return initial_state[0] + a == digest[0] && initial_state[1] + b == digest[1] &&
           initial_state[2] + c == digest[2] && initial_state[3] + d == digest[3] && initial_state[4] + e == digest[4];
  }
};
// end of step

/// The steps unrolled; word(t) is the schedule's, called in order.
template <class Rotate, int Steps, class WordAt>
__device__ DeviceState<Rotate> run_steps(const WordAt& word) {
  DeviceState<Rotate> s;
#pragma unroll
  for (int t = 0; t < 20; ++t) s.step(choose(s.b, s.c, s.d) + 0x5A827999 + word(t));
#pragma unroll
  for (int t = 20; t < 40; ++t) s.step(parity(s.b, s.c, s.d) + 0x6ED9EBA1 + word(t));
#pragma unroll
  for (int t = 40; t < 60; ++t) s.step(majority(s.b, s.c, s.d) + 0x8F1BBCDC + word(t));
#pragma unroll
  for (int t = 60; t < Steps; ++t) s.step(parity(s.b, s.c, s.d) + 0xCA62C1D6 + word(t));
  return s;
}

/// The schedule in 16 registers, each new word in the place of the oldest.
template <class Rotate>
__device__ Word scheduled(Block& w, int t) {
  if (t >= block_words) {
    w[t % 16] = Rotate::left(w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ w[t % 16], 1);
  }
  return w[t % 16];
}

}  // namespace whorl::studies::sha1_search
