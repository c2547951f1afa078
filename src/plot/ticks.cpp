#include "plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace whorl::detail {

namespace {

// The least of 1, 2, 5 and 10 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Plain from 0.001 to 5000.
Tick power_of_ten(int factor, int power) {
  const double value = factor * std::pow(10, power);
  const bool plain = power >= -3 && power <= 3;
  return {value, plain ? fmt::format("{:g}", value) : fmt::format("{}e{}", factor, power)};
}

}  // namespace

std::vector<Tick> make_ticks(const std::array<double, 2>& range, int most) {
  const double step = nice_step((range[1] - range[0]) / most);
  const double largest = std::max(std::abs(range[0]), std::abs(range[1]));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> ticks;
  const double first = std::ceil(range[0] / step - 1e-9);
  for (int i = 0; i <= most; ++i) {
    const double value = (first + i) * step;
    if (value > range[1] + 1e-9 * step) break;
    // Neither 0.00001 nor 100000000: those take the exponent.
    const bool plain = largest < 1e6 && step >= 1e-5;
    ticks.push_back({value, value == 0 ? "0"
                            : plain    ? fmt::format("{:.{}f}", value, decimals)
                                       : fmt::format("{:.4g}", value)});
  }
  return ticks;
}

std::vector<Tick> make_logarithmic_ticks(const std::array<double, 2>& range, int most) {
  constexpr double slack = 1e-9;
  const int first = static_cast<int>(std::ceil(std::log10(range[0]) - slack));
  const int last = static_cast<int>(std::floor(std::log10(range[1]) + slack));
  if (last > first) {
    const int step = 1 + (last - first) / (most + 1);
    std::vector<Tick> ticks;
    for (int power = first; power <= last; power += step) ticks.push_back(power_of_ten(1, power));
    return ticks;
  }
  std::vector<Tick> ticks;
  for (int power = first - 1; power <= last + 1; ++power) {
    for (const int factor : {1, 2, 5}) {
      const Tick tick = power_of_ten(factor, power);
      if (tick.value >= range[0] * (1 - slack) && tick.value <= range[1] * (1 + slack)) ticks.push_back(tick);
    }
  }
  return ticks.size() > 1 ? ticks : make_ticks(range, most);
}

}  // namespace whorl::detail
