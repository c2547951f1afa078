// Products of bytes of one warp on the tensor cores, and the rearrangement of bytes for them.
//
// m16n8k32, with g = lane / 4 and t = lane % 4: a = (row g, columns 4t to 4t + 3), (row g + 8, the same), (row g, 16
// columns on), (row g + 8, 16 columns on); b = (rows 4t to 4t + 3, column g), (16 rows on); c = row g, columns 2t and
// 2t + 1, then the same of row g + 8.
#pragma once

#include <cstdint>

namespace whorl::backend::cuda {

/// c += a b, for unsigned bytes
__device__ inline void multiply_add_bytes(int (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int lower = quarter % 2;
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c[2 * lower]), "+r"(c[2 * lower + 1])
        : "r"(a[quarter]), "r"(quarter < 2 ? b0 : b1));
  }
#endif
}

/// Multiplies and adds with 16 columns of a, its first two words, and 16 rows of b.
__device__ inline void multiply_add_half(int (&c)[4], const uint32_t (&a)[2], uint32_t b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
#else
  for (int lower = 0; lower < 2; ++lower) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c[2 * lower]), "+r"(c[2 * lower + 1])
        : "r"(a[lower]), "r"(b));
  }
#endif
}

/// Transposes the matrix of 4 x 4 bytes whose rows are the words.
__device__ inline void transpose_bytes(uint32_t (&words)[4]) {
  const uint32_t a = __byte_perm(words[0], words[1], 0x5140);
  const uint32_t b = __byte_perm(words[2], words[3], 0x5140);
  const uint32_t c = __byte_perm(words[0], words[1], 0x7362);
  const uint32_t d = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(a, b, 0x5410);
  words[1] = __byte_perm(a, b, 0x7632);
  words[2] = __byte_perm(c, d, 0x5410);
  words[3] = __byte_perm(c, d, 0x7632);
}

/// Splits the upper 16 bits of four words into their lower and their upper bytes.
__device__ inline void split_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t& lower, uint32_t& upper) {
  const uint32_t first = __byte_perm(a, b, 0x7632);
  const uint32_t second = __byte_perm(c, d, 0x7632);
  lower = __byte_perm(first, second, 0x6420);
  upper = __byte_perm(first, second, 0x7531);
}

}  // namespace whorl::backend::cuda
