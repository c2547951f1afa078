#include "filter/src/kernels/windows/separable_taps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "whorl/core/error.hpp"

namespace whorl::kernels {

namespace {

constexpr double largest_number = 255;
constexpr double largest_between = 16383;
constexpr double largest_tap = 32767;
constexpr int most_between_bits = 6;
constexpr int most_tap_bits = 17;

bool is_symmetric(const std::vector<double>& taps) { return std::equal(taps.begin(), taps.end(), taps.rbegin()); }

double gain_of(const std::vector<double>& taps) {
  return std::accumulate(taps.begin(), taps.end(), 0.0, [](double sum, double tap) { return sum + std::abs(tap); });
}

// Rounds from both ends towards the middle and carries each rounding error into the next tap. This keeps the sum, and
// errors of one sign do not accumulate over many small taps. Symmetric taps stay symmetric.
std::vector<std::int16_t> rounded(const std::vector<double>& taps, int bits) {
  const std::size_t middle = taps.size() / 2;
  std::vector<std::int16_t> result(taps.size());
  const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
  auto rest = static_cast<int>(std::lround(std::ldexp(sum, bits)));
  double lost[2] = {0, 0};
  for (std::size_t i = 0; i < middle; ++i) {
    for (const std::size_t side : {0, 1}) {
      const std::size_t at = side == 0 ? i : taps.size() - 1 - i;
      const double wanted = std::ldexp(taps[at], bits) + lost[side];
      result[at] = static_cast<std::int16_t>(std::lround(wanted));
      lost[side] = wanted - result[at];
      rest -= result[at];
    }
  }
  result[middle] = static_cast<std::int16_t>(rest);
  return result;
}

// The most bits of fraction with which the taps fit, and the sums of numbers up to `largest` including their rounding.
int bits_of(const std::vector<double>& taps, double largest) {
  const double peak = std::abs(
      *std::max_element(taps.begin(), taps.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  // Rounding moves a tap by at most one, the middle one by two, and each product with it.
  const auto count = static_cast<double>(taps.size());
  for (int bits = most_tap_bits; bits >= 0; --bits) {
    const double scale = std::ldexp(1.0, bits);
    const double half = std::ldexp(1.0, bits + most_between_bits);
    const bool fits = peak * scale + 2 <= largest_tap || (bits == 0 && peak <= largest_tap);
    if (fits && (gain_of(taps) * scale + count + 1) * largest + half < std::numeric_limits<std::int32_t>::max()) {
      return bits;
    }
  }
  throw Unsupported("separable: the taps are too large for images of 8 bits; convert the image to float32");
}

std::vector<float> as_floats(const std::vector<double>& taps) { return {taps.begin(), taps.end()}; }

}  // namespace

TwoPasses<std::int16_t> fixed_taps(const SeparableTaps& taps) {
  const double gain = std::max(gain_of(taps.y), std::numeric_limits<double>::min());
  if (largest_number * gain > largest_between) {
    throw Unsupported("separable: the taps are too large for images of 8 bits; convert the image to float32");
  }
  const int y_bits = bits_of(taps.y, largest_number);
  const int between = std::min(
      {most_between_bits, y_bits, static_cast<int>(std::floor(std::log2(largest_between / (largest_number * gain))))});
  const int x_bits = bits_of(taps.x, std::ldexp(largest_number * gain, between));
  return {{rounded(taps.y, y_bits), y_bits - between, is_symmetric(taps.y)},
          {rounded(taps.x, x_bits), x_bits + between, is_symmetric(taps.x)}};
}

TwoPasses<float> float_taps(const SeparableTaps& taps) {
  return {{as_floats(taps.y), 0, is_symmetric(taps.y)}, {as_floats(taps.x), 0, is_symmetric(taps.x)}};
}

int pass_of_constant(const PassTaps<std::int16_t>& pass, int value) {
  const int sum = std::accumulate(pass.taps.begin(), pass.taps.end(), 0);
  return (value * sum + (1 << pass.shift >> 1)) >> pass.shift;
}

float pass_of_constant(const PassTaps<float>& pass, float value) {
  if (!pass.symmetric) {
    return std::accumulate(pass.taps.begin(), pass.taps.end(), 0.0F,
                           [&](float sum, float tap) { return std::fma(tap, value, sum); });
  }
  const auto middle = static_cast<std::size_t>(pass.radius());
  float sum = pass.taps[middle] * value;
  for (std::size_t k = 1; k <= middle; ++k) sum = std::fma(pass.taps[middle + k], value + value, sum);
  return sum;
}

Index largest_result(const PassTaps<std::int16_t>& pass, Index largest) {
  const Index sum = std::accumulate(pass.taps.begin(), pass.taps.end(), Index{0});
  return (sum * largest + (Index{1} << pass.shift >> 1)) >> pass.shift;
}

template <class T>
T border_number(const BorderOptions& border) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(border.border_value);
  const double largest = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(std::floor(border.border_value + 0.5), 0.0, largest));
}

template std::uint8_t border_number(const BorderOptions&);
template std::uint16_t border_number(const BorderOptions&);
template float border_number(const BorderOptions&);

}  // namespace whorl::kernels
