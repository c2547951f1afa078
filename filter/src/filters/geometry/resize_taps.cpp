#include "filter/src/filters/geometry/resize_taps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "filter/src/kernels/geometry/resize.hpp"

namespace whorl::filters {

namespace {

constexpr double lanczos_zeros = 3;
constexpr double cubic_reach = 2;

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double keys(double x, double a) {
  const double t = std::abs(x);
  if (t >= cubic_reach) return 0;
  if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return a * (((t - 5) * t + 8) * t - 4);
}

/// The weights of one new pixel, for old pixels from `low` on, which may lie beyond the edges.
struct SampleTaps {
  Index low = 0;
  std::vector<double> weights;
};

class Placement {
 public:
  Placement(const ResizeOptions& options, Index old_extent, Index extent)
      : options_(options), old_(static_cast<double>(old_extent)), new_(static_cast<double>(extent)) {}

  SampleTaps at(Index i) const {
    const auto sample = static_cast<double>(i);
    switch (options_.method) {
      case ResizeMethod::nearest:
        return {static_cast<Index>(std::floor(position(sample) + 0.5)), {1}};
      case ResizeMethod::area:
        return covered(sample * old_ / new_, (sample + 1) * old_ / new_);
      case ResizeMethod::bilinear:
        return kernel(position(sample), 1, 1, [](double x) { return 1 - std::abs(x); });
      case ResizeMethod::bicubic:
        return kernel(position(sample), cubic_reach, stretch(), [&](double x) { return keys(x, options_.sharpness); });
      default:
        return kernel(position(sample), lanczos_zeros, stretch(),
                      [](double x) { return sinc(x) * sinc(x / lanczos_zeros); });
    }
  }

 private:
  double step() const {
    if (options_.align == ResizeAlign::centers) return old_ / new_;
    return new_ > 1 ? (old_ - 1) / (new_ - 1) : old_;
  }
  double stretch() const { return options_.antialias ? std::max(1.0, step()) : 1; }
  double position(double sample) const {
    if (options_.align == ResizeAlign::centers) return (sample + 0.5) * old_ / new_ - 0.5;
    return new_ > 1 ? sample * (old_ - 1) / (new_ - 1) : 0.5 * (old_ - 1);
  }

  template <class Function>
  static SampleTaps kernel(double position, double reach, double stretch, const Function& weight) {
    SampleTaps taps;
    taps.low = static_cast<Index>(std::floor(position - reach * stretch)) + 1;
    const auto high = static_cast<Index>(std::ceil(position + reach * stretch)) - 1;
    double sum = 0;
    for (Index k = taps.low; k <= high; ++k) {
      taps.weights.push_back(weight((static_cast<double>(k) - position) / stretch));
      sum += taps.weights.back();
    }
    for (double& value : taps.weights) value /= sum;
    return taps;
  }

  SampleTaps covered(double begin, double end) const {
    SampleTaps taps;
    taps.low = static_cast<Index>(std::floor(begin));
    for (Index k = taps.low; static_cast<double>(k) < end; ++k) {
      const double overlap = std::min(end, static_cast<double>(k + 1)) - std::max(begin, static_cast<double>(k));
      // The weight that rounding may leave for a pixel that only touches the area.
      constexpr double nothing = 1e-9;
      taps.weights.push_back(overlap > nothing * (end - begin) ? overlap / (end - begin) : 0);
    }
    return taps;
  }

  const ResizeOptions& options_;
  double old_;
  double new_;
};

}  // namespace

AxisTaps axis_taps(const ResizeOptions& options, Index old_extent, Index extent) {
  const Placement placement(options, old_extent, extent);
  std::vector<SampleTaps> samples;
  AxisTaps taps;
  taps.count = 1;
  for (Index i = 0; i < extent; ++i) {
    SampleTaps sample = placement.at(i);
    // Pixels at the edge replace the pixels beyond it.
    SampleTaps inside{std::clamp<Index>(sample.low, 0, old_extent - 1), {}};
    for (std::size_t t = 0; t < sample.weights.size(); ++t) {
      const Index k = std::clamp<Index>(sample.low + static_cast<Index>(t), 0, old_extent - 1) - inside.low;
      inside.weights.resize(std::max(inside.weights.size(), static_cast<std::size_t>(k + 1)));
      inside.weights[static_cast<std::size_t>(k)] += sample.weights[t];
    }
    while (inside.weights.size() > 1 && inside.weights.back() == 0) inside.weights.pop_back();
    taps.count = std::max(taps.count, static_cast<Index>(inside.weights.size()));
    samples.push_back(std::move(inside));
  }
  // All pixels have the same number of taps.
  taps.weights.resize(static_cast<std::size_t>(extent * taps.count));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Index first = std::min(samples[i].low, old_extent - taps.count);
    const auto offset = static_cast<std::size_t>(static_cast<Index>(i) * taps.count + samples[i].low - first);
    std::copy(samples[i].weights.begin(), samples[i].weights.end(),
              taps.weights.begin() + static_cast<std::ptrdiff_t>(offset));
    taps.first.push_back(static_cast<std::int32_t>(first));
  }
  return taps;
}

std::vector<std::int32_t> quantized(const AxisTaps& taps, int bits) {
  const double one = std::ldexp(1.0, bits);
  std::vector<std::int32_t> weights(taps.weights.size());
  for (std::size_t i = 0; i < taps.first.size(); ++i) {
    const auto begin = static_cast<std::size_t>(taps.count) * i;
    std::size_t largest = begin;
    double rest = one;
    for (std::size_t t = begin; t < begin + static_cast<std::size_t>(taps.count); ++t) {
      weights[t] = static_cast<std::int32_t>(std::lround(taps.weights[t] * one));
      rest -= weights[t];
      if (weights[t] > weights[largest]) largest = t;
    }
    weights[largest] += static_cast<std::int32_t>(rest);
    // Numbers of 16 bits hold all weights of the second of two taps except 1; a weight that is 2^-15 less changes no
    // level.
    if (taps.count == 2 && bits == kernels::two_tap_bits && weights[begin + 1] == 1 << kernels::two_tap_bits) {
      weights[begin] = 1;
      weights[begin + 1] -= 1;
    }
  }
  return weights;
}

}  // namespace whorl::filters
