#include "studies/sha1_search/sha1.hpp"

#include <fmt/format.h>

#include <charconv>

#include "whorl/core/error.hpp"

namespace whorl::studies::sha1_search {

// step: one by one, as in the standard
Digest textbook_sha1(std::string_view text) {
  constexpr std::size_t block_bytes = 64;
  std::array<std::uint8_t, block_bytes> block{};
  for (std::size_t i = 0; i < text.size(); ++i) block[i] = static_cast<std::uint8_t>(text[i]);
  block[text.size()] = 0x80;
  const std::size_t bits = 8 * text.size();
  block[block_bytes - 2] = static_cast<std::uint8_t>(bits >> 8U);
  block[block_bytes - 1] = static_cast<std::uint8_t>(bits);

  std::array<Word, hash_steps> w{};
  for (std::size_t t = 0; t < block_words; ++t) {
    w[t] = Word{block[4 * t]} << 24U | Word{block[4 * t + 1]} << 16U | Word{block[4 * t + 2]} << 8U | block[4 * t + 3];
  }
  for (std::size_t t = block_words; t < hash_steps; ++t) {
    w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
  auto [a, b, c, d, e] = initial_state;
  for (std::size_t t = 0; t < hash_steps; ++t) {
    Word f = 0;
    if (t < 20) {
      f = choose(b, c, d) + round_constants[0];
    } else if (t < 40) {
      f = parity(b, c, d) + round_constants[1];
    } else if (t < 60) {
      f = majority(b, c, d) + round_constants[2];
    } else {
      f = parity(b, c, d) + round_constants[3];
    }
    const Word next = rotate_left(a, 5) + f + e + w[t];
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = next;
  }
  return {initial_state[0] + a, initial_state[1] + b, initial_state[2] + c, initial_state[3] + d, initial_state[4] + e};
}
// end of step

std::string to_hex(const Digest& digest) {
  std::string text;
  for (const Word word : digest) text += fmt::format("{:08x}", word);
  return text;
}

Digest digest_from_hex(const std::string& text) {
  constexpr std::size_t digits_of_a_word = 8;
  constexpr int hexadecimal = 16;
  Digest digest{};
  bool right = text.size() == digest.size() * digits_of_a_word;
  for (std::size_t i = 0; right && i < digest.size(); ++i) {
    const char* const first = text.data() + i * digits_of_a_word;
    const auto [end, error] = std::from_chars(first, first + digits_of_a_word, digest[i], hexadecimal);
    right = error == std::errc{} && end == first + digits_of_a_word;
  }
  if (!right) throw ValueError(fmt::format("sha1_search: the digest '{}', expected 40 hexadecimal digits", text));
  return digest;
}

}  // namespace whorl::studies::sha1_search
