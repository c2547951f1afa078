#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/penalties/wavelet.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/wavelet.hpp"

namespace whorl {

namespace {

using Wide = long double;
using WideComplex = std::complex<Wide>;

// All roots of the polynomial sum_k c[k] y^k, by the iteration of Durand and Kerner.
std::vector<WideComplex> polynomial_roots(const std::vector<Wide>& c) {
  const std::size_t degree = c.size() - 1;
  std::vector<WideComplex> roots(degree);
  for (std::size_t i = 0; i < degree; ++i) roots[i] = std::pow(WideComplex(0.4L, 0.9L), static_cast<int>(i));
  constexpr int steps = 200;  // it converges quadratically; the filters need less than 40
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < degree; ++i) {
      WideComplex value = c[degree];
      for (std::size_t k = degree; k-- > 0;) value = value * roots[i] + c[k];
      WideComplex others = c[degree];
      for (std::size_t j = 0; j < degree; ++j) {
        if (j != i) others *= roots[i] - roots[j];
      }
      roots[i] -= value / others;
    }
  }
  return roots;
}

// The polynomial times (z - root).
void multiply_by_root(std::vector<WideComplex>& polynomial, WideComplex root) {
  polynomial.emplace_back(0);
  for (std::size_t k = polynomial.size() - 1; k > 0; --k) polynomial[k] = polynomial[k - 1] - root * polynomial[k];
  polynomial[0] *= -root;
}

}  // namespace

// |m0|^2 = cos^2(w/2)^p Q(sin^2(w/2)) with Q(y) = sum_{k<p} binomial(p-1+k, k) y^k, and y = (2 - z - 1/z) / 4 for z on
// the unit circle. The filter has the inner root of each pair z, 1/z.
std::vector<double> daubechies_filter(int taps) {
  if (taps < 2 || taps > kernels::most_wavelet_taps || taps % 2 != 0) {
    throw ValueError(
        fmt::format("wavelet: {} taps, expected an even number from 2 to {}", taps, kernels::most_wavelet_taps));
  }
  const int moments = taps / 2;
  std::vector<Wide> q{1};
  for (int k = 1; k < moments; ++k) q.push_back(q.back() * static_cast<Wide>(moments - 1 + k) / static_cast<Wide>(k));
  constexpr Wide one{1};
  std::vector<WideComplex> filter{1};
  for (const WideComplex y : polynomial_roots(q)) {
    const WideComplex half = one - Wide{2} * y;  // (z + 1/z) / 2
    const WideComplex root = half + std::sqrt(half * half - one);
    multiply_by_root(filter, std::abs(root) < 1 ? root : one / root);
  }
  for (int k = 0; k < moments; ++k) multiply_by_root(filter, -1);
  Wide sum = 0;
  for (const WideComplex value : filter) sum += value.real();
  std::vector<double> low;
  for (const WideComplex value : filter)
    low.push_back(static_cast<double>(std::numbers::sqrt2_v<Wide> * value.real() / sum));
  return low;
}

}  // namespace whorl
