#include "core/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/sha256_blocks.hpp"

namespace whorl {

namespace {

constexpr std::size_t block_bytes = 64;

}  // namespace

// The compression function of section 6.2.2.
void sha256_blocks_plain(std::uint32_t* state, const unsigned char* bytes, std::size_t blocks) {
  for (; blocks > 0; --blocks, bytes += block_bytes) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) {
      const unsigned char* b = bytes + 4 * t;
      w[t] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15];
      const std::uint32_t y = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) + w[t - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
    }
    std::array<std::uint32_t, 8> s{};
    std::copy_n(state, 8, s.begin());
    auto [a, b, c, d, e, f, g, h] = s;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                                  sha256_constants[t] + w[t];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    s = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i];
  }
}

namespace {

void add_blocks(std::uint32_t* state, const unsigned char* bytes, std::size_t blocks) {
  static const Sha256Blocks fast = sha256_blocks_of_processor();
  (fast == nullptr ? sha256_blocks_plain : fast)(state, bytes, blocks);
}

}  // namespace

void Sha256::add(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const unsigned char*>(bytes);
  const std::size_t filled = bytes_ % block_bytes;
  bytes_ += count;
  if (filled > 0) {
    const std::size_t taken = std::min(count, block_bytes - filled);
    std::copy_n(from, taken, block_.data() + filled);
    from += taken;
    count -= taken;
    if (filled + taken < block_bytes) return;
    add_blocks(state_.data(), block_.data(), 1);
  }
  add_blocks(state_.data(), from, count / block_bytes);
  std::copy_n(from + count / block_bytes * block_bytes, count % block_bytes, block_.data());
}

std::string Sha256::digits() {
  // A bit 1, zeros, and the number of bits as the last eight bytes of a block.
  std::array<unsigned char, 2 * block_bytes> end{0x80};
  const std::size_t zeros = (2 * block_bytes - 9 - bytes_ % block_bytes) % block_bytes;
  const std::uint64_t bits = 8 * bytes_;
  for (std::size_t i = 0; i < 8; ++i) end[1 + zeros + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  add(end.data(), 9 + zeros);
  std::string digits;
  for (const std::uint32_t word : state_) digits += fmt::format("{:08x}", word);
  return digits;
}

}  // namespace whorl
