#include "whorl/op/evolution_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "math/decompositions.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;
using Matrix = detail::Matrix<double>;

// exp(-(decay + 2 pi i hertz) t)
struct Exponent {
  double decay = 0;
  double hertz = 0;

  Complex at(double t) const { return std::polar(std::exp(-decay * t), -2 * std::numbers::pi * hertz * t); }
  friend auto operator<=>(const Exponent&, const Exponent&) = default;
};

struct Class {
  Exponent exponent;
  double energy = 0;  // of the amplitudes
};

constexpr double least_tolerance = 1e-6;  // the eigenvalues' squares are summed to 1e-16
constexpr double most_turns = 50;
constexpr std::size_t most_classes = 512;

void check(const ExponentialSignal& signal, ArrayRef<const double> times, double tolerance) {
  if (!(tolerance >= least_tolerance && tolerance < 1)) {
    throw ValueError(fmt::format("evolution factors: a tolerance of {}, expected {} or more and below 1", tolerance,
                                 least_tolerance));
  }
  const Shape& shape = signal.amplitudes.shape();
  if (shape.rank() < 2 || shape.size() == 0 || signal.decay_rates.shape() != shape ||
      signal.off_resonance.shape() != shape) {
    throw ShapeError(
        fmt::format("evolution factors: amplitudes {}, decay rates {}, off-resonance {}; expected one shape, "
                    "[component, image...]",
                    to_string(shape), to_string(signal.decay_rates.shape()), to_string(signal.off_resonance.shape())));
  }
  if (times.rank() != 1 || times.size() == 0) {
    throw ShapeError(fmt::format("evolution factors: times of shape {}, expected [sample]", to_string(times.shape())));
  }
  for (Index j = 0; j < times.size(); ++j) {
    if (!std::isfinite(times.data()[j])) throw ValueError(fmt::format("evolution factors: time {} is not finite", j));
  }
  for (Index i = 0; i < shape.size(); ++i) {
    const double decay = signal.decay_rates.data()[i];
    if (!std::isfinite(signal.amplitudes.data()[i]) || !std::isfinite(decay) || decay < 0 ||
        !std::isfinite(signal.off_resonance.data()[i])) {
      throw ValueError(fmt::format(
          "evolution factors: element {} has amplitude {}, decay rate {}/s, off-resonance {} Hz; expected finite "
          "numbers and a rate of 0 or more",
          i, signal.amplitudes.data()[i], decay, signal.off_resonance.data()[i]));
    }
  }
}

// The distinct exponents in order, with their energies.
std::vector<Class> distinct_exponents(const ExponentialSignal& signal) {
  std::vector<Class> classes;
  for (Index i = 0; i < signal.amplitudes.size(); ++i) {
    const double amplitude = signal.amplitudes.data()[i];
    if (amplitude == 0) continue;
    classes.push_back({{signal.decay_rates.data()[i], signal.off_resonance.data()[i]}, amplitude * amplitude});
  }
  if (classes.empty()) throw ValueError("evolution factors: every amplitude is 0; expected a signal");
  std::sort(classes.begin(), classes.end(), [](const Class& a, const Class& b) { return a.exponent < b.exponent; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    if (classes[i].exponent == classes[last].exponent) {
      classes[last].energy += classes[i].energy;
    } else {
      classes[++last] = classes[i];
    }
  }
  classes.resize(last + 1);
  return classes;
}

struct Range {
  double low = 0;
  double high = 0;

  double extent() const { return high - low; }
  int bin(double value, int bins) const {
    return extent() > 0 ? std::min(static_cast<int>((value - low) / extent() * bins), bins - 1) : 0;
  }
};

template <class Of>
Range range_of(const std::vector<Class>& classes, const Of& of) {
  Range range{of(classes.front()), of(classes.front())};
  for (const Class& one : classes) {
    range.low = std::min(range.low, of(one));
    range.high = std::max(range.high, of(one));
  }
  return range;
}

// Collects many exponents in bins; a bin becomes their mean.
std::vector<Class> histogram(const std::vector<Class>& classes, const Range& decay, const Range& hertz, double turns) {
  const int hertz_bins = 128 + static_cast<int>(16 * turns);
  const int decay_bins = hertz.extent() > 0 ? 16 : 512;
  std::map<std::pair<int, int>, Class> bins;
  for (const Class& one : classes) {
    Class& bin = bins[{decay.bin(one.exponent.decay, decay_bins), hertz.bin(one.exponent.hertz, hertz_bins)}];
    bin.exponent.decay += one.energy * one.exponent.decay;
    bin.exponent.hertz += one.energy * one.exponent.hertz;
    bin.energy += one.energy;
  }
  std::vector<Class> means;
  for (const auto& [place, bin] : bins) {
    means.push_back({{bin.exponent.decay / bin.energy, bin.exponent.hertz / bin.energy}, bin.energy});
  }
  return means;
}

// Times at which evolutions are compared, close enough for evolutions to be smooth in between.
std::vector<double> nodes_of(const Range& time, double turns, double most_decay) {
  const int count = 33 + static_cast<int>(std::ceil(8 * turns + std::min(4 * most_decay, 400.0)));
  std::vector<double> nodes(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) nodes[static_cast<std::size_t>(n)] = time.low + time.extent() * n / (count - 1);
  return nodes;
}

// Right singular vectors v_l of the weighted table of classes and nodes, as many as are kept, with their singular values.
struct Basis {
  std::vector<double> nodes;
  Matrix vectors;  // [node, factor]
  std::vector<double> squares;
  double error = 0;

  Index rank() const { return vectors.cols(); }

  // g_l = sum_n E(t_n) v_l(t_n): of an exponential E = sum_l g_l conj(v_l).
  void project(const Exponent& exponent, Complex* g) const {
    std::fill(g, g + rank(), Complex(0));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Complex value = exponent.at(nodes[n]);
      for (Index l = 0; l < rank(); ++l) g[l] += value * vectors(static_cast<Index>(n), l);
    }
  }
};

Basis basis_of(const std::vector<Class>& classes, std::vector<double> nodes, double tolerance) {
  Matrix table(static_cast<Index>(classes.size()), static_cast<Index>(nodes.size()));
  for (Index n = 0; n < table.cols(); ++n) {
    for (Index k = 0; k < table.rows(); ++k) {
      const Class& one = classes[static_cast<std::size_t>(k)];
      table(k, n) = std::sqrt(one.energy) * one.exponent.at(nodes[static_cast<std::size_t>(n)]);
    }
  }
  const auto [squares, vectors] = detail::eigenpairs(Matrix(table.adjoint() * table));
  const double total = squares.sum();
  double left_out = 0;
  Index first = 0;
  while (first + 1 < squares.size()) {
    const double next = left_out + std::max(squares[first], 0.0);
    if (next > tolerance * tolerance * total) break;
    left_out = next;
    ++first;
  }
  const Index rank = squares.size() - first;
  Basis basis{std::move(nodes), vectors.rightCols(rank), {}, std::sqrt(left_out / total)};
  for (Index l = 0; l < rank; ++l) basis.squares.push_back(squares[first + l]);
  return basis;
}

// b_l(t) = sum_k energy_k conj(g_kl) E_k(t) / square_l: at the nodes conj(v_l), and between them what fits the classes
// best.
template <class Real>
Array<std::complex<Real>> courses_of(const Context& ctx, const std::vector<Class>& classes, const Basis& basis,
                                     ArrayRef<const double> times) {
  std::vector<double> distinct(times.span().begin(), times.span().end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  const Index rank = basis.rank();
  Matrix weights(rank, static_cast<Index>(classes.size()));
  for (Index k = 0; k < weights.cols(); ++k) {
    const Class& one = classes[static_cast<std::size_t>(k)];
    basis.project(one.exponent, weights.col(k).data());
    for (Index l = 0; l < rank; ++l) {
      weights(l, k) = one.energy * std::conj(weights(l, k)) / basis.squares[static_cast<std::size_t>(l)];
    }
  }
  Matrix values(rank, static_cast<Index>(distinct.size()));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index t = 0; t < values.cols(); ++t) {
    for (Index l = 0; l < rank; ++l) values(l, t) = 0;
    for (Index k = 0; k < weights.cols(); ++k) {
      const Complex value = classes[static_cast<std::size_t>(k)].exponent.at(distinct[static_cast<std::size_t>(t)]);
      for (Index l = 0; l < rank; ++l) values(l, t) += weights(l, k) * value;
    }
  }
  Array<std::complex<Real>> courses(ctx.host(), {rank, times.size()});
  for (Index j = 0; j < times.size(); ++j) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), times.data()[j]) - distinct.begin();
    for (Index l = 0; l < rank; ++l) courses.data()[l * times.size() + j] = std::complex<Real>(values(l, place));
  }
  return courses;
}

// c_l(r) = sum_p a_p(r) g_l of the voxel's exponent p.
template <class Real>
Array<std::complex<Real>> maps_of(const Context& ctx, const ExponentialSignal& signal,
                                  const std::vector<Class>& distinct, const Basis& basis) {
  const Index rank = basis.rank();
  Matrix projections(rank, static_cast<Index>(distinct.size()));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index k = 0; k < projections.cols(); ++k) {
    basis.project(distinct[static_cast<std::size_t>(k)].exponent, projections.col(k).data());
  }
  const Shape image = signal.amplitudes.shape().tail();
  const Index pixels = image.size();
  Array<std::complex<Real>> maps(ctx.host(), image.with_front(rank));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index r = 0; r < pixels; ++r) {
    detail::Vector<double> sum = detail::Vector<double>::Zero(rank);
    for (Index i = r; i < signal.amplitudes.size(); i += pixels) {
      const double amplitude = signal.amplitudes.data()[i];
      if (amplitude == 0) continue;
      const Exponent exponent{signal.decay_rates.data()[i], signal.off_resonance.data()[i]};
      const auto place = std::lower_bound(distinct.begin(), distinct.end(), exponent,
                                          [](const Class& a, const Exponent& b) { return a.exponent < b; });
      sum += amplitude * projections.col(place - distinct.begin());
    }
    for (Index l = 0; l < rank; ++l) maps.data()[l * pixels + r] = std::complex<Real>(sum[l]);
  }
  return maps;
}

// What the factors of a signal are made of.
struct Decomposition {
  std::vector<Class> distinct;
  std::vector<Class> classes;  // of the table
  Basis basis;
};

Decomposition decompose(const ExponentialSignal& signal, ArrayRef<const double> times, double tolerance) {
  check(signal, times, tolerance);
  const auto [first, last] = std::minmax_element(times.span().begin(), times.span().end());
  const Range time{*first, *last};
  std::vector<Class> distinct = distinct_exponents(signal);
  const Range decay = range_of(distinct, [](const Class& one) { return one.exponent.decay; });
  const Range hertz = range_of(distinct, [](const Class& one) { return one.exponent.hertz; });
  const double turns = hertz.extent() * time.extent();
  if (turns > most_turns) {
    throw ValueError(
        fmt::format("evolution factors: off-resonance from {:.1f} to {:.1f} Hz makes {:.0f} turns in {:.1f} ms, "
                    "expected {} at most; mask the map where there is no signal, or shorten the readout",
                    hertz.low, hertz.high, turns, 1e3 * time.extent(), most_turns));
  }
  std::vector<Class> classes = distinct.size() > most_classes ? histogram(distinct, decay, hertz, turns) : distinct;
  Basis basis = basis_of(classes, nodes_of(time, turns, decay.high * time.extent()), tolerance);
  return {std::move(distinct), std::move(classes), std::move(basis)};
}

}  // namespace

Index evolution_rank(const ExponentialSignal& signal, ArrayRef<const double> times, double tolerance) {
  return decompose(signal, times, tolerance).basis.rank();
}

template <class Real>
EvolutionFactors<Real> evolution_factors(const Context& ctx, const ExponentialSignal& signal,
                                         ArrayRef<const double> times, double tolerance) {
  const auto [distinct, classes, basis] = decompose(signal, times, tolerance);
  const auto to_device = [&](Array<std::complex<Real>> made) {
    return ctx.device() == made.device() ? std::move(made) : clone<std::complex<Real>>(ctx, made);
  };
  return {to_device(maps_of<Real>(ctx, signal, distinct, basis)),
          to_device(courses_of<Real>(ctx, classes, basis, times)), basis.error};
}

template EvolutionFactors<float> evolution_factors<float>(const Context&, const ExponentialSignal&,
                                                          ArrayRef<const double>, double);
template EvolutionFactors<double> evolution_factors<double>(const Context&, const ExponentialSignal&,
                                                            ArrayRef<const double>, double);

}  // namespace whorl
