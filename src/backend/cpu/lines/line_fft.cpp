#include "backend/cpu/lines/line_fft.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl::backend::cpu {

namespace {

// Radices in the order of the stages: the twiddle factors of the last stage are all 1, so the largest prime goes there.
// Empty when a prime factor above 5 remains.
std::vector<int> radices(Index n) {
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  std::vector<int> result;
  // As many eights as possible without leaving a single two: each stage costs a pass through memory, whatever its radix.
  for (; twos >= 3 && twos != 4; twos -= 3) result.push_back(8);
  for (; twos >= 2; twos -= 2) result.push_back(4);
  if (twos == 1) result.push_back(2);
  for (const int radix : {3, 5}) {
    for (; n % radix == 0; n /= radix) result.push_back(radix);
  }
  if (n != 1) return {};
  return result;
}

// Frequencies of a block in the order that decimation in frequency leaves them.
std::vector<std::int32_t> order_of(const std::vector<int>& radix, std::size_t stage) {
  if (stage == radix.size()) return {0};
  const std::vector<std::int32_t> inner = order_of(radix, stage + 1);
  std::vector<std::int32_t> result;
  result.reserve(inner.size() * static_cast<std::size_t>(radix[stage]));
  for (int q = 0; q < radix[stage]; ++q) {
    for (const std::int32_t frequency : inner) result.push_back(q + radix[stage] * frequency);
  }
  return result;
}

}  // namespace

bool is_line_fft_length(Index n) { return n == 1 || (n > 1 && !radices(n).empty()); }

template <class Real>
LineFft<Real>::LineFft(Index n) : length(n) {
  if (!is_line_fft_length(n)) throw ValueError(fmt::format("fft: {} points, expected a product of 2, 3 and 5", n));
  const std::vector<int> radix = radices(n);
  Index size = n;
  for (const int r : radix) {
    Stage stage{.radix = r, .size = size, .twiddle = {}};
    for (Index p = 0; p < size / r; ++p) {
      for (int q = 1; q < r; ++q) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(p * q % size) / static_cast<double>(size);
        stage.twiddle.push_back(static_cast<Real>(std::cos(angle)));
        stage.twiddle.push_back(static_cast<Real>(std::sin(angle)));
      }
    }
    stages.push_back(std::move(stage));
    size /= r;
  }
  order = order_of(radix, 0);
  place.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
}

template struct LineFft<float>;
template struct LineFft<double>;

}  // namespace whorl::backend::cpu
