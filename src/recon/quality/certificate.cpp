#include "whorl/recon/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/op/exact_signal.hpp"

namespace whorl {

namespace {

// Quantile of the normal distribution for 99.75 %: the rest of the 1 % is left to what falls as 1/N. For N = 50 and squares of
// normal numbers, 0.7 % of the bounds are too low, for heavier tails (mean_bound's test) 1 %; for N = 400 0.3 and 0.4 %.
constexpr double quantile = 2.8070;

Array<std::complex<double>> in_double(const Context& ctx, ArrayRef<const std::complex<float>> values) {
  const Array<std::complex<float>> here = to_host<const std::complex<float>>(ctx, values);
  Array<std::complex<double>> result(ctx.host(), here.shape());
  std::copy(here.span().begin(), here.span().end(), result.span().begin());
  return result;
}

// Sum over the coils of |y|^2, of each sample.
std::vector<double> energies(const Array<std::complex<float>>& y) {
  const Index samples = y.extent(1);
  std::vector<double> sums(static_cast<std::size_t>(samples));
  for (Index i = 0; i < y.size(); ++i) {
    sums[static_cast<std::size_t>(i % samples)] += std::norm(std::complex<double>(y.data()[i]));
  }
  return sums;
}

std::vector<Index> draw(const std::vector<double>& probabilities, Index count, std::uint64_t seed) {
  std::vector<double> cumulative(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), cumulative.begin());
  std::vector<Index> drawn(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const double at = random_uniform(seed, static_cast<std::uint64_t>(i)) * cumulative.back();
    const auto place = std::upper_bound(cumulative.begin(), cumulative.end(), at) - cumulative.begin();
    drawn[static_cast<std::size_t>(i)] = std::min<Index>(place, static_cast<Index>(cumulative.size()) - 1);
  }
  return drawn;
}

struct DrawnSamples {
  const Array<double>& points;
  const Array<double>& times;
  const std::vector<Index>& numbers;
};

// The image turns by its own angles for each sample.
Array<std::complex<double>> exact_turned(const Context& ctx, const Array<std::complex<double>>& maps,
                                         const Array<std::complex<double>>& image, const ExponentialSignal& signal,
                                         const DrawnSamples& samples,
                                         const std::function<double(Index sample, Index voxel)>& turns) {
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const Index count = samples.times.size();
  Array<std::complex<double>> made(ctx.host(), {maps.extent(0), count});
  Array<std::complex<double>> turned(ctx.host(), image.shape());
  for (Index i = 0; i < count; ++i) {
    ctx.check_cancel("certificate");
    for (Index r = 0; r < image.size(); ++r) {
      const double angle = -2 * std::numbers::pi * turns(samples.numbers[static_cast<std::size_t>(i)], r);
      turned.data()[r] = image.data()[r] * std::polar(1.0, angle);
    }
    const auto one = exact_signal(silent, maps, turned, signal, samples.points.ref().range(i, i + 1),
                                  samples.times.ref().range(i, i + 1));
    for (Index c = 0; c < maps.extent(0); ++c) made.data()[c * count + i] = one.data()[c];
  }
  return made;
}

}  // namespace

// T = (mean - mu) sqrt(n) / s of a skewed distribution is not normal: P(T <= x) = Phi(x) + g (2 x^2 + 1) phi(x) / 6 +
// O(1/n), with g = skewness / sqrt(n) (Edgeworth). Hall's monotone cubic of T,
//
//   h(T) = T + g T^2 / 3 + g^2 T^3 / 27 + g / 6,
//
// removes the term of order 1/sqrt(n). P(h(T) >= -q) is the confidence, so mu <= mean - s h^-1(-q) / sqrt(n), where
// h^-1(x) = ((1 + g (x - g/6))^(1/3) - 1) 3/g.
double mean_bound(std::span<const double> draws) {
  const auto n = static_cast<double>(draws.size());
  const double mean = std::accumulate(draws.begin(), draws.end(), 0.0) / n;
  double second = 0;
  double third = 0;
  for (const double value : draws) {
    second += (value - mean) * (value - mean) / n;
    third += std::pow(value - mean, 3) / n;
  }
  if (second == 0) return mean;
  const double g = third / std::pow(second, 1.5) / std::sqrt(n);
  const double t = std::abs(g) < 1e-6 ? -quantile : (std::cbrt(1 - g * (quantile + g / 6)) - 1) * 3 / g;
  return mean - t * std::sqrt(second / (n - 1));
}

Certificate certify(const Context& ctx, const Operator<float>& encoding, ArrayRef<const std::complex<float>> maps,
                    ArrayRef<const std::complex<float>> image, const ExponentialSignal& signal,
                    ArrayRef<const double> points, ArrayRef<const double> times, Index samples, std::uint64_t seed,
                    ArrayRef<const float> weight_roots, const std::function<double(Index sample, Index voxel)>& turns) {
  if (samples < least_certified) {
    throw ValueError(
        fmt::format("certificate: {} random samples, expected {} or more: fewer say little", samples, least_certified));
  }
  Array<std::complex<float>> on_device(ctx, encoding.range());
  encoding.forward(ctx, image, on_device);
  const Array<std::complex<float>> predicted = to_host<std::complex<float>>(ctx, on_device);
  const Index count = predicted.extent(1);
  std::vector<double> probabilities = energies(predicted);
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  Certificate certificate{.samples = samples};
  if (!(total > 0)) return certificate;  // an image that is 0: no operator errs
  for (double& p : probabilities) p = 0.5 * p / total + 0.5 / static_cast<double>(count);

  const std::vector<Index> drawn = draw(probabilities, samples, seed);
  const Index dim = points.extent(1);
  Array<double> here(ctx.host(), {samples, dim});
  Array<double> then(ctx.host(), {samples});
  for (Index i = 0; i < samples; ++i) {
    const Index j = drawn[static_cast<std::size_t>(i)];
    std::copy_n(points.data() + j * dim, dim, here.data() + i * dim);
    then.data()[i] = times.data()[j];
  }
  const auto exact =
      turns ? exact_turned(ctx, in_double(ctx, maps), in_double(ctx, image), signal, {here, then, drawn}, turns)
            : exact_signal(ctx, in_double(ctx, maps), in_double(ctx, image), signal, here, then);
  std::vector<double> values(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) {
    const Index j = drawn[static_cast<std::size_t>(i)];
    const double root = weight_roots.size() == 0 ? 1.0 : static_cast<double>(weight_roots.data()[j]);
    double error = 0;
    for (Index c = 0; c < predicted.extent(0); ++c) {
      error += std::norm(std::complex<double>(predicted.data()[c * count + j]) - root * exact.data()[c * samples + i]);
    }
    values[static_cast<std::size_t>(i)] = error / probabilities[static_cast<std::size_t>(j)];
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(samples);
  const auto relative = [&](double energy) { return std::sqrt(energy / total); };
  certificate.relative_error = relative(mean);
  const double above = relative(mean_bound(values));
  certificate.bound = above < 1 ? above / (1 - above) : std::numeric_limits<double>::infinity();
  return certificate;
}

}  // namespace whorl
