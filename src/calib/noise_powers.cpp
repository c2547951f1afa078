#include "calib/noise_powers.hpp"

#include <cmath>
#include <numbers>

#include "calib/median.hpp"

namespace whorl::detail {

void NoisePowers::find_middle() { middle_ = median(powers_); }

double NoisePowers::limit() const { return 10 * middle_ / std::numbers::ln2; }

double NoisePowers::outlying() const {
  double beyond = 0;
  double total = 0;
  for (const double power : powers_) {
    total += power;
    if (power > limit()) beyond += power;
  }
  return total > 0 ? beyond / total : 0;
}

bool NoisePowers::has_tails() const {
  double second = 0;
  double fourth = 0;
  double count = 0;
  for (const double power : powers_) {
    if (power > limit()) continue;
    ++count;
    second += power;
    fourth += power * power;
  }
  const bool rare = static_cast<double>(powers_.size()) - count < 0.1 * static_cast<double>(powers_.size());
  return !rare || fourth * count > 2 * (largest_kurtosis + 4 * std::sqrt(5 / count)) * second * second;
}

}  // namespace whorl::detail
