#include "recon/quality/main_lobe.hpp"

#include <cmath>
#include <numbers>

namespace whorl::recon {

namespace {

using LobeComplex = std::complex<double>;

// The polynomial through the samples of a period, by its coefficients.
class Interpolant {
 public:
  explicit Interpolant(const std::vector<LobeComplex>& line) : coefficients_(line.size()) {
    const std::size_t n = line.size();
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t i = 0; i < n; ++i) {
        const double turns = static_cast<double>(f * i % n) / static_cast<double>(n);
        coefficients_[f] += line[i] * std::polar(1 / static_cast<double>(n), -2 * std::numbers::pi * turns);
      }
    }
  }

  double magnitude(double position) const {
    const auto n = static_cast<Index>(coefficients_.size());
    LobeComplex value = 0;
    for (Index f = 0; f < n; ++f) {
      const double angle = 2 * std::numbers::pi * position / static_cast<double>(n);
      const LobeComplex c = coefficients_[static_cast<std::size_t>(f)];
      // The frequency at the edge of an even number of samples stands for both signs.
      value += 2 * f == n ? c * std::cos(angle * static_cast<double>(f))
                          : c * std::polar(1.0, angle * static_cast<double>(2 * f < n ? f : f - n));
    }
    return std::abs(value);
  }

 private:
  std::vector<LobeComplex> coefficients_;
};

// Below the width of any lobe of such a polynomial, so that no crossing is stepped over.
constexpr double step = 1.0 / 16;

double top_near(const Interpolant& p, double center) {
  double best = center;
  for (double at = center - 1; at <= center + 1; at += step / 4) {
    if (p.magnitude(at) > p.magnitude(best)) best = at;
  }
  return best;
}

// Distance from the top to where the magnitude falls to `half`, in the direction `side`.
double half_width(const Interpolant& p, double top, double side, double half, double most) {
  for (double outside = step; outside <= most; outside += step) {
    if (p.magnitude(top + side * outside) > half) continue;
    double inside = outside - step;
    for (int i = 0; i < 20; ++i) {
      const double middle = 0.5 * (inside + outside);
      (p.magnitude(top + side * middle) > half ? inside : outside) = middle;
    }
    return 0.5 * (inside + outside);
  }
  return most;
}

}  // namespace

double main_lobe_width(const std::vector<LobeComplex>& line, Index center) {
  const Interpolant p(line);
  const double top = top_near(p, static_cast<double>(center));
  const double half = 0.5 * p.magnitude(top);
  const double most = 0.5 * static_cast<double>(line.size());
  return half_width(p, top, -1, half, most) + half_width(p, top, 1, half, most);
}

}  // namespace whorl::recon
