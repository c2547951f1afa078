#include "whorl/core/random.hpp"

#include <cmath>
#include <numbers>

namespace whorl {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  // Multipliers and Weyl constants: table 2 and section 4.3 of the paper.
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

namespace {

std::array<std::uint32_t, 4> bits_of(std::uint64_t seed, std::uint64_t i) {
  return philox({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0},
                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

// 53 bits, moved by half a step: never 0 and never 1.
double to_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t word = (static_cast<std::uint64_t>(high) << 32) | low;
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

std::complex<double> normal_pair(std::uint64_t seed, std::uint64_t i) {
  const auto bits = bits_of(seed, i);
  const double radius = std::sqrt(-2.0 * std::log(to_unit(bits[0], bits[1])));
  return std::polar(radius, 2.0 * std::numbers::pi * to_unit(bits[2], bits[3]));
}

}  // namespace

double random_uniform(std::uint64_t seed, std::uint64_t i) {
  const auto bits = bits_of(seed, i);
  return to_unit(bits[0], bits[1]);
}

double random_normal(std::uint64_t seed, std::uint64_t i) { return normal_pair(seed, i).real(); }

template <Precision Real>
void fill_random_normal(ArrayRef<std::complex<Real>> array, std::uint64_t seed, int threads) {
  std::complex<Real>* const elements = array.data();
  const Index count = array.size();
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index i = 0; i < count; ++i) {
    elements[i] = std::complex<Real>(normal_pair(seed, static_cast<std::uint64_t>(i)) * std::numbers::sqrt2 * 0.5);
  }
}

template void fill_random_normal(ArrayRef<std::complex<float>>, std::uint64_t, int);
template void fill_random_normal(ArrayRef<std::complex<double>>, std::uint64_t, int);

}  // namespace whorl
