#include "doctor/noise_level.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

namespace whorl::doctor {

namespace {

constexpr double longest_step = 0.51;           // cycles per field of view
constexpr std::size_t least_differences = 100;  // differences
constexpr Index looked_at = 200000;             // samples looked at

// Binomial coefficients of alternating sign.
std::vector<double> difference(Index order) {
  std::vector<double> taps{1};
  for (Index i = 0; i < order; ++i) {
    taps.push_back(-taps.back() * static_cast<double>(order - i) / static_cast<double>(i + 1));
  }
  return taps;
}

}  // namespace

std::vector<double> noise_of_data(const Scan& scan, const ScanFrame& frame, Index order) {
  std::vector<double> power(static_cast<std::size_t>(scan.coils), 0.0);
  const Index length = frame.trajectory->readout_length;
  const std::vector<double> factors = difference(order);
  const double sum_of_squares = std::inner_product(factors.begin(), factors.end(), factors.begin(), 0.0);
  const auto taps = static_cast<Index>(factors.size());
  if (length < taps) return power;
  const auto k = frame.trajectory->points.view<2>();
  const auto data = frame.data.view<2>();
  std::vector<Index> starts;
  const Index every = std::max<Index>(1, k.extent(0) / looked_at);
  for (Index first = 0; first + taps <= k.extent(0); first += every) {
    if (first % length + taps > length) continue;
    double longest = 0;
    for (Index i = first; i + 1 < first + taps; ++i) {
      double square = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        square += std::pow(
            (k(i + 1, axis) - k(i, axis)) * static_cast<double>(scan.matrix[static_cast<std::size_t>(axis)]), 2);
      }
      longest = std::max(longest, square);
    }
    if (longest <= longest_step * longest_step) starts.push_back(first);
  }
  if (starts.size() < least_differences) return power;
  std::vector<double> squares(starts.size());
  for (Index coil = 0; coil < scan.coils; ++coil) {
    for (std::size_t s = 0; s < starts.size(); ++s) {
      std::complex<double> sum;
      for (Index tap = 0; tap < taps; ++tap) {
        sum += factors[static_cast<std::size_t>(tap)] * std::complex<double>(data(coil, starts[s] + tap));
      }
      squares[s] = std::norm(sum);
    }
    const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
    std::nth_element(squares.begin(), middle, squares.end());
    // |n|^2 of complex noise has an exponential distribution, whose median is its mean times ln 2.
    power[static_cast<std::size_t>(coil)] = *middle / (sum_of_squares * std::numbers::ln2);
  }
  return power;
}

}  // namespace whorl::doctor
