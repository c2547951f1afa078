// Private: what the powers of a coil's samples tell of noise.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace whorl::detail {

/// Bound for white noise, to which four standard deviations of the estimate are added.
constexpr double largest_kurtosis = 1.5;  // in units of that of Gaussian noise

/// Noise of less than this part of the data's root mean square is rounding of single precision (6e-8 of the largest
/// terms of a sum) or a tail of the signal: as noise it would leave the image an SNR of 300,000.
constexpr double least_level = 3e-6;

/// |n|^2 of the samples of one coil, one at least.
class NoisePowers {
 public:
  template <class Real>
  explicit NoisePowers(std::span<const std::complex<Real>> values) {
    powers_.reserve(values.size());
    for (const std::complex<Real> value : values) powers_.push_back(std::norm(std::complex<double>(value)));
    find_middle();
  }

  double operator[](std::size_t sample) const { return powers_[sample]; }
  bool is_mostly_zero() const { return !(middle_ > 0); }

  /// Beyond it a power is an outlier: ten times the mean of noise with this median.
  double limit() const;

  /// The outliers' part of the energy.
  double outlying() const;

  /// Whether E|n|^4 / (2 (E|n|^2)^2) without the outliers is too large, or a tenth of the samples are outliers. For
  /// Gaussian noise it is 1 with the standard deviation sqrt(5 / n).
  bool has_tails() const;

 private:
  void find_middle();

  std::vector<double> powers_;
  double middle_ = 0;  // the median
};

}  // namespace whorl::detail
