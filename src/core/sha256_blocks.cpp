// SHA-256 by the SHA extensions of x86: each instruction does two rounds on two halves of the state. Six times as fast as
// words.
#include "core/sha256_blocks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace whorl {

#if defined(__x86_64__)

namespace {

__attribute__((target("sha,sse4.1"))) void by_sha_extensions(std::uint32_t* state, const unsigned char* bytes,
                                                             std::size_t blocks) {
  auto* words = reinterpret_cast<__m128i*>(state);
  const __m128i to_words = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);  // big-endian
  // The instructions take the state as (a, b, e, f) and (c, d, g, h), the first letter in the highest word.
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; --blocks, bytes += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];  // the words of four rounds each, the last 16 of them
    for (int i = 0; i < 16; ++i) {
      __m128i next;
      if (i < 4) {
        next = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), to_words);
      } else {
        // w[i & 3] is the one of 16 rounds ago, the others follow it.
        const __m128i nine = _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4);
        next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
        next = _mm_sha256msg2_epu32(_mm_add_epi32(next, nine), w[(i + 3) & 3]);
      }
      w[i & 3] = next;
      const auto* constants = reinterpret_cast<const __m128i*>(sha256_constants.data()) + i;
      const __m128i terms = _mm_add_epi32(next, _mm_loadu_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, terms);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(terms, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace

Sha256Blocks sha256_blocks_of_processor() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned sha = 1U << 29;    // of leaf 7, in b
  constexpr unsigned sse41 = 1U << 19;  // of leaf 1, in c
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & sha) == 0) return nullptr;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & sse41) == 0) return nullptr;
  return by_sha_extensions;
}

#else

Sha256Blocks sha256_blocks_of_processor() { return nullptr; }

#endif

}  // namespace whorl
