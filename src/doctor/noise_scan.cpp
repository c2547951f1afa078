// The noise scan: there, as strong as the noise of the data, and noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "doctor/check.hpp"
#include "doctor/noise_level.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::doctor {

namespace {

constexpr double most_ratio = 3;  // of two variances of the same noise, in the median of the coils
constexpr double kurtosis = 2;    // E|n|^4 / (E|n|^2)^2 of complex Gaussian noise
constexpr double most_excess = 0.5;
constexpr Index longer_differences = 12;
constexpr double least_kept = 0.6;  // of the variance by eighth differences in that by longer ones: less is signal
constexpr double per_coil = 10;     // samples for a covariance to be precise

// Reconstructions leave out what they doubt, and take the rest.
Finding wrong_noise(const std::string& what, double value, const std::string& unit, double confidence,
                    const std::string& doubt) {
  return {.check = "noise scan",
          .what = what,
          .value = value,
          .unit = unit,
          .confidence = confidence,
          .remedy = doubt.empty() ? "whorl doctor --fix leaves the noise scan out; whorl recon --no-prewhitening"
                                  : "none: whorl recon leaves the noise scan out, and so does whorl doctor --fix",
          .mend_text = "noise scan left out: reconstructions take the noise from the edge of k-space",
          .mend = [](const Context&, Scan& scan) { remove_noise_scan(scan); }};
}

Finding note(const std::string& what, double value, const std::string& unit) {
  return {.check = "noise scan",
          .is_fault = false,
          .what = what,
          .value = value,
          .unit = unit,
          .confidence = 1,
          .remedy = "none: measure noise without excitation before the scan"};
}

// Variance and fourth moment of each coil.
struct Moments {
  std::vector<double> variance;
  double normalized_fourth = 0;  // of the coil where it is largest
};

Moments moments_of(const Scan& scan) {
  Moments moments;
  const auto noise = scan.noise.view<2>();
  for (Index c = 0; c < noise.extent(0); ++c) {
    double square = 0;
    double fourth = 0;
    for (Index j = 0; j < noise.extent(1); ++j) {
      const double energy = std::norm(std::complex<double>(noise(c, j)));
      square += energy;
      fourth += energy * energy;
    }
    const auto count = static_cast<double>(noise.extent(1));
    moments.variance.push_back(square / count);
    if (square > 0) moments.normalized_fourth = std::max(moments.normalized_fourth, fourth * count / (square * square));
  }
  return moments;
}

}  // namespace

Findings judge_noise_scan(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (scan.noise.size() == 0) {
    if (scan.coils < 2) return {};
    return {
        note("there is no noise scan: the noise of the coils is taken from the edge of k-space, where signal may be", 0,
             "samples")};
  }
  ctx.check_cancel("noise scan");
  const Index samples = scan.noise.extent(1);
  const std::optional<double> scale = dwell_scale(scan.noise_dwell_us, scan.dwell_us);
  const std::string doubt = doubt_about_noise<float>(ctx, scan.noise, scale, examination.frame().data);
  const Moments moments = moments_of(scan);
  // The standard error of the normalized fourth moment of n samples is sqrt(20 / n): the eighth moment of the
  // exponential distribution of |n|^2.
  const double excess = std::max(most_excess, 10 * std::sqrt(20 / static_cast<double>(samples)));
  if (moments.normalized_fourth > kurtosis + excess) {
    const double times = moments.normalized_fourth / kurtosis;
    return {wrong_noise(
        fmt::format("the noise scan holds more than noise: E|n|^4 is {:.3g} times that of Gaussian noise", times),
        times, "times", 1 - 1 / times, doubt)};
  }
  const std::vector<double> of_data = noise_of_data(scan, examination.frame());
  const std::vector<double> by_longer = noise_of_data(scan, examination.frame(), longer_differences);
  std::vector<double> ratios;
  for (std::size_t c = 0; c < of_data.size(); ++c) {
    const double ratio = of_data[c] > 0 ? moments.variance[c] * scale.value_or(1) / of_data[c] : 0;
    // Signal in the differences makes them more than noise, so they are a bound then.
    const bool is_noise = by_longer[c] >= least_kept * of_data[c];
    if (of_data[c] > 0 && (is_noise || ratio > most_ratio)) ratios.push_back(ratio);
  }
  if (!ratios.empty()) {
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    if (*middle > most_ratio || *middle < 1 / most_ratio) {
      const double apart = std::max(*middle, 1 / *middle);
      return {wrong_noise(
          fmt::format(
              "the noise scan has {:.3g} times the variance of the noise in the data, at the sample times of both",
              *middle),
          *middle, "times", 1 - 1 / apart, doubt)};
    }
  } else if (std::none_of(of_data.begin(), of_data.end(), [](double power) { return power > 0; })) {
    examination.undecided.emplace_back(
        "noise scan: the samples are too far apart to tell the noise of the data from its signal. Oversampled readouts "
        "decide.");
  }
  if (!doubt.empty()) {
    return {wrong_noise(fmt::format("the noise scan is not the noise of the data: {}", doubt), 0, "", 1, doubt)};
  }
  if (static_cast<double>(samples) < per_coil * static_cast<double>(scan.coils)) {
    return {
        note(fmt::format("the noise scan has {} samples for {} coils, fewer than {:g} for each: the covariance is not "
                         "precise",
                         samples, scan.coils, per_coil),
             static_cast<double>(samples), "samples")};
  }
  return {};
}

}  // namespace whorl::doctor
