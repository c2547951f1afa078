// SHA-1 (FIPS 180-4) of strings that fit into one block: what all kernels share, and the hash as the standard writes
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace whorl::studies::sha1_search {

/// A block of 64 bytes ends with a bit of 1, at least, and the length in 8 bytes.
inline constexpr int most_letters = 55;
inline constexpr int block_words = 16;
inline constexpr int hash_steps = 80;
inline constexpr int steps_of_a_round = 20;

using Word = std::uint32_t;
using Digest = std::array<Word, 5>;
using Block = std::array<Word, block_words>;

inline constexpr Digest initial_state{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

/// The steps of the four rounds add these, and join b, c and d by these functions.
inline constexpr std::array<Word, 4> round_constants{0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
constexpr Word choose(Word b, Word c, Word d) { return d ^ (b & (c ^ d)); }
constexpr Word parity(Word b, Word c, Word d) { return b ^ c ^ d; }
constexpr Word majority(Word b, Word c, Word d) { return (b & c) | (d & (b | c)); }

constexpr Word rotate_left(Word x, int by) { return x << by | x >> (32 - by); }

/// Where byte `i` of a string stands in its word of the block.
constexpr int shift_of_letter(int i) { return 24 - 8 * (i % 4); }

/// What step 76 leaves in `a` where the digest is this one: nothing but rotations and the last addition comes after
/// it, e of step 80 being a of step 76.
inline constexpr int deciding_step = 76;
constexpr Word deciding_word(const Digest& digest) { return rotate_left(digest[4] - initial_state[4], 2); }

/// The hash of a string of at most `most_letters` bytes: the padding, the schedule of 80 words and the four functions
/// one after the other, as in the standard.
Digest textbook_sha1(std::string_view text);

/// 40 hexadecimal digits, and back. Throws ValueError for anything else.
std::string to_hex(const Digest& digest);
Digest digest_from_hex(const std::string& text);

}  // namespace whorl::studies::sha1_search
