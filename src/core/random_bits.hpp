// The bits behind random numbers, for hosts and GPUs alike.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace whorl::detail {

using RandomBits = std::array<std::uint32_t, 4>;

constexpr RandomBits philox_bits(RandomBits counter, std::array<std::uint32_t, 2> key) {
  // Multipliers and Weyl constants: table 2 and section 4.3 of the paper (whorl/core/random.hpp).
  constexpr std::uint64_t multiplier0 = 0xD2511F53;
  constexpr std::uint64_t multiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9;
  constexpr std::uint32_t weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = multiplier0 * counter[0];
    const std::uint64_t product1 = multiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

/// The bits of element i of the stream `seed`.
constexpr RandomBits random_bits(std::uint64_t seed, std::uint64_t i) {
  return philox_bits({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0},
                     {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

/// 53 bits as a number of (0, 1), moved by half a step: never 0 and never 1.
constexpr double unit_of(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t word = (static_cast<std::uint64_t>(high) << 32) | low;
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

/// Complex normal number of E|z|^2 = 2 (Box and Muller), on a host.
inline std::complex<double> normal_pair(std::uint64_t seed, std::uint64_t i) {
  const RandomBits bits = random_bits(seed, i);
  return std::polar(std::sqrt(-2.0 * std::log(unit_of(bits[0], bits[1]))),
                    2.0 * std::numbers::pi * unit_of(bits[2], bits[3]));
}

/// Number of quarter turns: the two highest bits.
constexpr int quarter_turns_of(const RandomBits& bits) { return static_cast<int>(bits[0] >> 30); }

}  // namespace whorl::detail
