#include "backend/cuda/lines/line_fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backend/cuda/lines/line_fft_tuning.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// Factors of n in [2, 10] except 7, ascending: as few as possible and, among these choices, those with the smallest
// sum, which are the most equal ones. Empty if there are none.
std::vector<int> fewest_factors(Index n, int from) {
  std::vector<int> best;
  if (n == 1) return best;
  const auto worse = [](const std::vector<int>& a, const std::vector<int>& b) {
    const auto sum = [](const std::vector<int>& v) {
      int total = 0;
      for (const int f : v) total += f;
      return total;
    };
    return a.size() != b.size() ? a.size() > b.size() : sum(a) > sum(b);
  };
  for (const int factor : {2, 3, 4, 5, 6, 8, 9, 10}) {
    if (factor < from || n % factor != 0) continue;
    std::vector<int> rest = fewest_factors(n / factor, factor);
    if (rest.empty() && n != factor) continue;
    rest.insert(rest.begin(), factor);
    if (best.empty() || worse(best, rest)) best = rest;
  }
  return best;
}

// Frequencies of a block in the order that the stages from the given one on leave them.
std::vector<int> order_of(const std::vector<int>& radices, std::size_t stage) {
  if (stage == radices.size()) return {0};
  const std::vector<int> inner = order_of(radices, stage + 1);
  std::vector<int> result;
  for (int q = 0; q < radices[stage]; ++q) {
    for (const int frequency : inner) result.push_back(q + radices[stage] * frequency);
  }
  return result;
}

template <class Real>
std::vector<int> radices_of(Index n) {
  std::vector<int> radices;
  const bool fixed =
      tuning::fixed_lines<Real>::visit(n, [&](auto line) { radices.assign(line.radices.begin(), line.radices.end()); });
  if (!fixed) radices = n == 1 ? std::vector<int>{1} : fewest_factors(n, 2);
  if (radices.empty() || radices.size() > LineStages::most) {
    throw ValueError(fmt::format("fft: {} points, expected a product of 2, 3 and 5", n));
  }
  return radices;
}

}  // namespace

int line_threads(const LineStages& stages, int most) {
  int best = 1;
  double best_cost = std::numeric_limits<double>::max();
  const auto try_threads = [&](int threads) {
    if (threads > most) return;
    int work = 0;
    for (int s = 0; s < stages.count; ++s) {
      const int radix = stages.stage[s].radix;
      work += round_up(stages.length / radix, threads) * (radix + 2);
    }
    // With half the threads memory would be idle, so up to a fifth of the threads may wait instead.
    const double cost = work * std::pow(threads, -0.3);
    if (cost < best_cost || (cost == best_cost && threads > best)) {
      best_cost = cost;
      best = threads;
    }
  };
  // Tables that wait in none of the stages.
  for (int s = 0; s < stages.count; ++s) {
    const int butterflies = stages.length / stages.stage[s].radix;
    for (int rounds = 1; rounds <= 8; ++rounds) try_threads(divide_up(butterflies, rounds));
  }
  try_threads(std::min(most, stages.length));
  return best;
}

template <class Real>
LineTables<Real>::LineTables(Index n) : stages{} {
  const std::vector<int> radices = radices_of<Real>(n);
  const int length = static_cast<int>(n);
  stages.length = length;
  stages.count = static_cast<int>(radices.size());
  int span = length;
  for (int s = 0; s < stages.count; ++s) {
    const int radix = radices[static_cast<std::size_t>(s)];
    const int block = span;
    span /= radix;
    stages.stage[s] = {radix, span, static_cast<int>(twiddle.size()),
                       span == 1 ? 0
                                 : static_cast<unsigned>(((1ULL << 32) + static_cast<unsigned>(span) - 1) /
                                                         static_cast<unsigned>(span))};
    for (int q = 1; q < radix; ++q) {
      for (int p = 0; p < span; ++p) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(p) * q / block;
        twiddle.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle)));
      }
    }
  }
  const std::vector<int> order = order_of(radices, 0);
  for (std::size_t b = 0; b < order.size(); b += static_cast<std::size_t>(radices.back())) head.push_back(order[b]);
  place.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
}

template struct LineTables<float>;
template struct LineTables<double>;

}  // namespace whorl::backend::cuda
