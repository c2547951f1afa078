#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calib/channels.hpp"
#include "calib/foretold_part.hpp"
#include "calib/judging_memory.hpp"
#include "calib/median.hpp"
#include "calib/noise_powers.hpp"
#include "core/counted.hpp"
#include "math/decompositions.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

using Covariance = detail::Matrix<double>;

constexpr int rounds = 5;

// Correlations above this condition number tell of coils that are copies of others, or of signal: whitening would amplify
// the rounding of data 1e4 to 1e5 times the noise.
constexpr double largest_edge_condition = 1e4;
// Bounds for white noise, to which four standard deviations of the estimates are added.
constexpr double largest_correlation = 0.5;  // of neighbors: half of the energy is signal
constexpr double largest_fall = 2.5;         // of the power, from the inner to the outer half of the edge
constexpr Index farthest_neighbor = 4;       // samples

// By neighbors (foretold_parts): noise of a filter that passes 0.74 of the band. Objects without noise are predicted to 0.99,
// those with many sharp edges too.
constexpr double largest_foretold = 0.6;

// The samples at the end of k-space.
struct Edge {
  std::vector<Index> samples;
  double radius = 0;  // the smallest |k| of them
};

std::vector<double> squared_radii(const View<const double, 2>& k) {
  std::vector<double> square(static_cast<std::size_t>(k.extent(0)));
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      square[static_cast<std::size_t>(sample)] += k(sample, axis) * k(sample, axis);
    }
  }
  return square;
}

// The samples with the largest |k|. Those that are zero in all coils were not measured.
Edge outermost(const std::vector<double>& squares, const Array<double>& energies, Index count) {
  Edge edge;
  for (Index i = 0; i < energies.size(); ++i) {
    if (energies.data()[i] > 0) edge.samples.push_back(i);
  }
  const auto wanted = static_cast<std::ptrdiff_t>(count);
  if (std::ssize(edge.samples) < wanted) return {};
  const auto further = [&](Index a, Index b) {
    return squares[static_cast<std::size_t>(a)] > squares[static_cast<std::size_t>(b)];
  };
  std::nth_element(edge.samples.begin(), edge.samples.begin() + (wanted - 1), edge.samples.end(), further);
  edge.samples.resize(static_cast<std::size_t>(count));
  edge.radius = std::sqrt(squares[static_cast<std::size_t>(edge.samples.back())]);
  return edge;
}

// The covariance of the samples without outliers.
struct Fit {
  Covariance covariance;
  Index kept = 0;
};

// None where the covariance is singular.
template <class Real>
std::optional<Fit> fit_covariance(const Context& ctx, const Array<std::complex<Real>>& noise) {
  // The median of the sum of n exponential variables is n - 1/3 to within 1/(50 n), its standard deviation sqrt(n).
  const auto n = static_cast<double>(noise.extent(0));
  Fit fit{detail::gram_of_channels<Real>(ctx, noise) / static_cast<double>(noise.extent(1)), noise.extent(1)};
  for (int round = 0; round < rounds; ++round) {
    const std::optional<Covariance> white = detail::inverse_cholesky(fit.covariance);
    if (!white || !white->allFinite()) return std::nullopt;
    // x^H C^-1 x: for noise of covariance C a sum of `coils` exponential variables.
    const Array<double> energies = detail::sample_energies<Real>(ctx, *white, noise);
    const Array<double> seen = to_host(ctx, energies.ref());
    const double scale = median({seen.span().begin(), seen.span().end()}) / (n - 1.0 / 3);
    const double limit = (n + 5 * std::sqrt(n)) * scale;
    fit.kept = std::count_if(seen.span().begin(), seen.span().end(), [&](double energy) { return energy <= limit; });
    if (fit.kept == 0) return std::nullopt;
    fit.covariance = detail::gram_of_channels<Real>(ctx, noise, energies, limit) / static_cast<double>(fit.kept);
  }
  return fit;
}

bool is_near_singular(const Covariance& covariance) {
  const Eigen::VectorXd scale = covariance.diagonal().real().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd values = detail::eigenvalues(scale.asDiagonal() * covariance * scale.asDiagonal());
  return !(values(0) * largest_edge_condition > values(values.size() - 1));
}

// Samples of one coil at the edge, on the host, in the order of the scan.
template <class Real>
class EdgeOfCoil {
 public:
  EdgeOfCoil(std::span<const std::complex<Real>> values, const std::vector<double>& squares, const Edge& edge)
      : values_(values), squares_(squares), edge_(edge), powers_(values) {}

  const detail::NoisePowers& powers() const { return powers_; }

  // The median power of the inner half over that of the outer one, or the inverse. The logarithm of the median of n
  // exponential variables has the standard deviation 1 / (ln 2 sqrt(n)).
  bool falls() const {
    std::vector<double> radii;
    for (const Index sample : edge_.samples) radii.push_back(squares_[static_cast<std::size_t>(sample)]);
    const double between = median(radii);
    std::vector<double> inner;
    std::vector<double> outer;
    for (std::size_t i = 0; i < radii.size(); ++i) (radii[i] < between ? inner : outer).push_back(powers_[i]);
    if (inner.empty() || outer.empty()) return false;
    const auto less = static_cast<double>(std::min(inner.size(), outer.size()));
    const double ratio = median(inner) / std::max(median(outer), std::numeric_limits<double>::min());
    return std::abs(std::log(ratio)) > std::log(largest_fall) + 4 * std::sqrt(2 / less) / std::numbers::ln2;
  }

  // The correlation of samples that lie one to four steps apart in the scan, the largest over these distances, and
  // without outliers.
  bool is_correlated(const std::vector<std::pair<Index, std::size_t>>& in_order, double longest_step) const {
    for (Index distance = 1; distance <= farthest_neighbor; ++distance) {
      std::complex<double> product;
      double power = 0;
      double pairs = 0;
      for (std::size_t i = 0; i + static_cast<std::size_t>(distance) < in_order.size(); ++i) {
        const auto [first, a] = in_order[i];
        const auto [second, b] = in_order[i + static_cast<std::size_t>(distance)];
        if (second - first != distance || powers_[a] > powers_.limit() || powers_[b] > powers_.limit()) continue;
        if (std::abs(radius(second) - radius(first)) > static_cast<double>(distance) * longest_step) continue;
        product += std::complex<double>(values_[b]) * std::conj(std::complex<double>(values_[a]));
        power += (powers_[a] + powers_[b]) / 2;
        ++pairs;
      }
      if (pairs > 0 && std::abs(product) > (largest_correlation + 4 / std::sqrt(pairs)) * power) return true;
    }
    return false;
  }

 private:
  double radius(Index sample) const { return std::sqrt(squares_[static_cast<std::size_t>(sample)]); }

  std::span<const std::complex<Real>> values_;
  const std::vector<double>& squares_;
  const Edge& edge_;
  detail::NoisePowers powers_;
};

// What tells that the samples of a coil are not white noise; empty: nothing does. `level` is the mean square of all data.
template <class Real>
std::string why_not_noise(const EdgeOfCoil<Real>& coil, double variance, double level,
                          const std::vector<std::pair<Index, std::size_t>>& in_order, double longest_step) {
  if (coil.powers().is_mostly_zero()) return "mostly zeros";
  if (!(variance > detail::least_level * detail::least_level * level)) return "no more than rounding";
  if (coil.falls()) return "power that changes with |k|, of signal or of a filter";
  if (coil.powers().has_tails()) return "values that are not Gaussian";
  if (coil.is_correlated(in_order, longest_step)) return "neighboring samples that are alike, as those of a signal are";
  return {};
}

NoiseCovariance no_noise(const Context& ctx, Index coils, const std::string& why) {
  NoiseCovariance result{
      Array<std::complex<double>>(ctx.host(), {coils, coils}),
      0,
      {fmt::format("noise not known: no noise scan, and the edge of k-space is not white noise ({}); "
                   "all coils are taken to be equally noisy",
                   why),
       NoteKind::doubt},
      false};
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), coils, coils).setIdentity();
  return result;
}

template <class Real>
std::string why_not_noise(const Context& ctx, ArrayRef<const std::complex<Real>> data, ArrayRef<const double> points,
                          const Array<std::complex<Real>>& noise, const Fit& fit, const std::vector<double>& squares,
                          const Edge& edge, const std::vector<double>& levels) {
  if (fit.kept < noise.extent(1) / 2) return "more outliers than noise";
  const OnDevice<std::complex<Real>> on_host(ctx.host(), noise);
  const ArrayRef<const std::complex<Real>> here = on_host.get();
  std::vector<std::pair<Index, std::size_t>> in_order;
  for (std::size_t i = 0; i < edge.samples.size(); ++i) in_order.emplace_back(edge.samples[i], i);
  std::sort(in_order.begin(), in_order.end());
  std::vector<double> steps;
  for (std::size_t j = 1; j < squares.size(); ++j) {
    steps.push_back(std::abs(std::sqrt(squares[j]) - std::sqrt(squares[j - 1])));
  }
  const double longest_step = 2 * median(steps) + 1e-3;
  std::vector<double> limits;
  for (Index c = 0; c < noise.extent(0); ++c) {
    const EdgeOfCoil<Real> coil(here.slice(c).span(), squares, edge);
    const std::string why =
        why_not_noise(coil, fit.covariance(c, c).real(), levels[static_cast<std::size_t>(c)], in_order, longest_step);
    if (!why.empty()) return fmt::format("coil {} has {}", c, why);
    limits.push_back(coil.powers().limit());
  }
  const std::vector<double> foretold = detail::foretold_parts<Real>(ctx, data, points, edge.samples, limits);
  if (std::string foretells = detail::why_foretold(foretold, largest_foretold); !foretells.empty()) return foretells;
  if (is_near_singular(fit.covariance)) return "coils that are copies of others, or signal";
  return {};
}

}  // namespace

template <Precision Real>
NoiseCovariance noise_covariance_from_edge(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                           ArrayRef<const double> points) {
  constexpr std::string_view operation = "noise covariance from the edge of k-space";
  const OnDevice<std::complex<Real>> here(ctx, data);
  detail::check_channels<Real>(ctx, operation, here.get(), 2, 2);
  const Index coils = data.extent(0);
  const Index samples = data.extent(1);
  if (points.rank() != 2 || points.extent(0) != samples) {
    throw ShapeError(fmt::format("{}: data {} and trajectory {} differ in the number of samples", operation,
                                 to_string(data.shape()), to_string(points.shape())));
  }
  const Index count = detail::edge_samples(coils, samples);
  if (count > samples) return no_noise(ctx, coils, fmt::format("{} samples are too few to tell", samples));
  std::vector<double> levels;
  const Covariance gram = detail::gram_of_channels<Real>(ctx, here.get());
  for (Index coil = 0; coil < coils; ++coil) {
    levels.push_back(gram(coil, coil).real() / static_cast<double>(samples));
    if (!(levels.back() > 0)) return no_noise(ctx, coils, fmt::format("coil {} has no data but zeros", coil));
  }
  const detail::RowMajorMatrix<double> identity = detail::RowMajorMatrix<double>::Identity(coils, coils);
  const std::vector<double> squares = squared_radii(points.view<2>());
  const Edge edge = outermost(squares, to_host(ctx, detail::sample_energies<Real>(ctx, identity, here.get())), count);
  if (edge.samples.empty()) return no_noise(ctx, coils, "nearly all samples are zero");
  const Array<std::complex<Real>> noise = detail::take_samples<Real>(ctx, here.get(), edge.samples);
  const std::optional<Fit> fit = fit_covariance<Real>(ctx, noise);
  if (!fit) return no_noise(ctx, coils, "coils have only zeros, or are copies of others");
  const std::string why = why_not_noise<Real>(ctx, here.get(), points, noise, *fit, squares, edge, levels);
  if (!why.empty()) return no_noise(ctx, coils, why);

  NoiseCovariance result{
      Array<std::complex<double>>(ctx.host(), {coils, coils}), fit->kept,
      fmt::format("Noise covariance of {} from {} samples at the edge of k-space (|k| >= {:.3g}), {} left out as "
                  "signal; there is no noise scan",
                  counted(coils, "coil"), fit->kept, edge.radius, count - fit->kept)};
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), coils, coils) = fit->covariance;
  return result;
}

template NoiseCovariance noise_covariance_from_edge(const Context&, ArrayRef<const std::complex<float>>,
                                                    ArrayRef<const double>);
template NoiseCovariance noise_covariance_from_edge(const Context&, ArrayRef<const std::complex<double>>,
                                                    ArrayRef<const double>);

}  // namespace whorl
