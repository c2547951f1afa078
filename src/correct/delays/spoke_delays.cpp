#include "correct/delays/spoke_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using Matrix = Eigen::MatrixXd;
using Values = Eigen::MatrixXcd;

constexpr int degree = 6;
constexpr double reach = 1.5;         // cycles per field of view
constexpr double least_reach = 1.25;  // steps of the spokes
constexpr double searched = 8;        // samples around the center in which the largest energy is looked for
constexpr double ridge = 1e-6;        // of the fit's squares, per sample: coefficients of an object are of its size
constexpr int most_steps = 30;
constexpr double done = 1e-4;  // samples
constexpr double settled = 0.05;
constexpr double most_step = 0.7;
constexpr Index most_samples = 20000;

// Element of D that is estimated.
struct Element {
  std::size_t row;
  std::size_t column;
};

double& at(GradientDelays& d, const Element& e) {
  const std::size_t place = e.row * 3 + e.column;
  switch (place) {
    case 0:
      return d.x;
    case 1:
      return d.xy;
    case 2:
      return d.xz;
    case 4:
      return d.y;
    case 5:
      return d.yz;
    default:
      return d.z;
  }
}

// A sample near the center: its nominal place and its spoke.
struct Sample {
  std::array<double, 3> k;  // cycles per field of view
  std::size_t spoke;
  Index number;
};

// k in cycles per field of view, whose scale differs from axis to axis.
class Spokes {
 public:
  Spokes(const Trajectory& trajectory, const Shape& image, const detail::ReadoutPart& part)
      : lines_(spoke_lines(trajectory)) {
    dim_ = static_cast<std::size_t>(trajectory.dim());
    for (std::size_t axis = 0; axis < dim_; ++axis)
      extent_[axis] = static_cast<double>(image[-1 - static_cast<int>(axis)]);
    double longest = 0;
    for (const SpokeLine& line : lines_) {
      double square = 0;
      for (std::size_t axis = 0; axis < dim_; ++axis) {
        square += std::pow(line.step * line.direction[axis] * extent_[axis], 2);
        if (std::abs(line.direction[axis]) > 1e-3) used_[axis] = true;
      }
      longest = std::max(longest, std::sqrt(square));
    }
    radius_ = std::max(reach, least_reach * longest);
    find_samples(trajectory, part, longest);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t j = i; j < dim_; ++j) {
        if (used_[i] && used_[j]) elements_.push_back({i, j});
      }
    }
  }

  std::size_t dim() const { return dim_; }
  double radius() const { return radius_; }
  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<Element>& elements() const { return elements_; }
  const SpokeLine& line(const Sample& sample) const { return lines_[sample.spoke]; }
  // How far a shift of one sample along an axis goes.
  double unit(const Sample& sample, std::size_t axis) const { return line(sample).step * extent_[axis]; }

  std::array<double, 3> place(const Sample& sample, const GradientDelays& delays) const {
    const std::array<double, 3> shift = delays.of(line(sample).direction);
    std::array<double, 3> k = sample.k;
    for (std::size_t axis = 0; axis < dim_; ++axis) k[axis] += unit(sample, axis) * shift[axis];
    return k;
  }

 private:
  // Finds the samples that may come near the center with delays of up to `searched` samples; skips spokes if there are many.
  void find_samples(const Trajectory& trajectory, const detail::ReadoutPart& part, double step) {
    const auto k = trajectory.points.view<2>();
    const double far = radius_ + searched * step;
    const auto per_spoke = static_cast<Index>(2 * radius_ / step) + 1;
    const Index every = std::max<Index>(1, static_cast<Index>(lines_.size()) * per_spoke / most_samples);
    for (Index j = 0; j < trajectory.samples(); ++j) {
      const Index spoke = j / trajectory.readout_length;
      if (spoke / part.groups % every != 0 || !part.has(spoke)) continue;
      Sample sample{{}, static_cast<std::size_t>(spoke), j};
      double square = 0;
      for (std::size_t axis = 0; axis < dim_; ++axis) {
        sample.k[axis] = k(j, static_cast<Index>(axis)) * extent_[axis];
        square += sample.k[axis] * sample.k[axis];
      }
      if (square <= far * far) samples_.push_back(sample);
    }
  }

  std::vector<SpokeLine> lines_;
  std::size_t dim_ = 0;
  std::array<double, 3> extent_{1, 1, 1};
  std::array<bool, 3> used_{};
  double radius_ = 0;
  std::vector<Sample> samples_;
  std::vector<Element> elements_;
};

// The center of k-space lies on a spoke near a = -n.D n, where its energy is largest. Squared energies leave out noise.
GradientDelays first_guess(const Spokes& spokes, ArrayRef<const std::complex<float>> data) {
  const auto count = static_cast<Index>(spokes.elements().size());
  Matrix normal = Matrix::Zero(count, count);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  const std::vector<Sample>& samples = spokes.samples();
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first;
    double sum = 0;
    double moment = 0;
    const std::array<double, 3>& n = spokes.line(samples[first]).direction;
    for (; last < samples.size() && samples[last].spoke == samples[first].spoke; ++last) {
      double energy = 0;
      for (Index c = 0; c < data.extent(0); ++c) {
        energy += std::norm(std::complex<double>(data.data()[c * data.extent(1) + samples[last].number]));
      }
      double along = 0;
      for (std::size_t axis = 0; axis < spokes.dim(); ++axis) {
        if (n[axis] != 0) along += n[axis] * samples[last].k[axis] / spokes.unit(samples[last], axis);
      }
      sum += energy * energy;
      moment += energy * energy * along;
    }
    first = last;
    if (!(sum > 0)) continue;
    Eigen::VectorXd row(count);
    for (Index e = 0; e < count; ++e) {
      const Element& element = spokes.elements()[static_cast<std::size_t>(e)];
      row[e] = -n[element.row] * n[element.column] * (element.row == element.column ? 1 : 2);
    }
    normal += row * row.transpose();
    right += row * (moment / sum);
  }
  GradientDelays delays;
  if (normal.trace() == 0) return delays;
  const Eigen::VectorXd found = detail::least_norm_solution(normal, right);
  for (Index e = 0; e < count; ++e) at(delays, spokes.elements()[static_cast<std::size_t>(e)]) = found[e];
  return delays;
}

// Exponents of the monomials of a polynomial.
std::vector<std::array<int, 3>> monomials(std::size_t dim) {
  std::vector<std::array<int, 3>> all;
  for (int a = 0; a <= degree; ++a) {
    for (int b = 0; a + b <= degree; ++b) {
      for (int c = 0; a + b + c <= (dim == 3 ? degree : a + b); ++c) all.push_back({a, b, c});
    }
  }
  return all;
}

// Values and derivatives of u^p / p!, p up to the degree: of k in cycles per field of view they are those of the Taylor
// series of exp(-2 pi i k r) at |r| = 1/2, the edge of the field of view.
struct Powers {
  std::array<double, degree + 1> value{};

  explicit Powers(double k) {
    value[0] = 1;
    for (int p = 1; p <= degree; ++p) {
      value[static_cast<std::size_t>(p)] = value[static_cast<std::size_t>(p - 1)] * std::numbers::pi * k / p;
    }
  }
  double derivative(int p) const { return p == 0 ? 0 : std::numbers::pi * value[static_cast<std::size_t>(p - 1)]; }
  double operator()(int p) const { return value[static_cast<std::size_t>(p)]; }
};

// One linearization at given delays: the samples near the center with the delays `chosen`, the fit, and the step that lessens what it leaves.
struct Step {
  Eigen::VectorXd change;
  double standard_error = 0;
  Index samples = 0;
};

Step improve(const Spokes& spokes, ArrayRef<const std::complex<float>> data, const GradientDelays& delays,
             const GradientDelays& chosen, double scale) {
  std::vector<std::pair<const Sample*, std::array<double, 3>>> near;
  for (const Sample& sample : spokes.samples()) {
    const std::array<double, 3> k = spokes.place(sample, chosen);
    if (std::hypot(k[0], k[1], k[2]) <= spokes.radius()) near.emplace_back(&sample, spokes.place(sample, delays));
  }
  const auto terms = monomials(spokes.dim());
  const auto columns = static_cast<Index>(terms.size());
  const auto rows = static_cast<Index>(near.size());
  const auto count = static_cast<Index>(spokes.elements().size());
  const Index coils = data.extent(0);
  if (rows <= columns + count) {
    throw ValueError(
        fmt::format("gradient delays: {} samples lie near the center of k-space, expected more than {}; give the "
                    "delays, or take more "
                    "spokes",
                    rows, columns + count));
  }
  Matrix fit(rows, columns);
  std::array<Matrix, 3> slopes;
  for (std::size_t axis = 0; axis < spokes.dim(); ++axis) slopes[axis].resize(rows, columns);
  Values y(rows, coils);
  for (Index i = 0; i < rows; ++i) {
    const auto& [sample, k] = near[static_cast<std::size_t>(i)];
    const std::array<Powers, 3> powers{Powers(k[0]), Powers(k[1]), Powers(k[2])};
    for (Index t = 0; t < columns; ++t) {
      const auto& p = terms[static_cast<std::size_t>(t)];
      fit(i, t) = powers[0](p[0]) * powers[1](p[1]) * powers[2](p[2]);
      for (std::size_t axis = 0; axis < spokes.dim(); ++axis) {
        double slope = powers[axis].derivative(p[axis]);
        for (std::size_t other = 0; other < 3; ++other) slope *= other == axis ? 1 : powers[other](p[other]);
        slopes[axis](i, t) = slope;
      }
    }
    for (Index c = 0; c < coils; ++c) {
      y(i, c) = scale * std::complex<double>(data.data()[c * data.extent(1) + sample->number]);
    }
  }
  const Matrix normal = fit.transpose() * fit + ridge * static_cast<double>(rows) * Matrix::Identity(columns, columns);
  const auto fitted = [&](const Values& of) {
    const Values projected = fit.transpose() * of;
    Values coefficients(columns, of.cols());
    coefficients.real() = detail::solve_positive(normal, projected.real());
    coefficients.imag() = detail::solve_positive(normal, projected.imag());
    return coefficients;
  };
  const Values coefficients = fitted(y);
  const Values left = y - fit * coefficients;
  std::vector<Values> moved;   // how the fit changes with each element of D
  std::vector<Values> beyond;  // the part of that which no other coefficients would take up
  for (const Element& element : spokes.elements()) {
    Values change = Values::Zero(rows, coils);
    const auto add = [&](std::size_t axis, std::size_t along) {
      const Values slope = slopes[axis] * coefficients;
      for (Index i = 0; i < rows; ++i) {
        const Sample& sample = *near[static_cast<std::size_t>(i)].first;
        change.row(i) += slope.row(i) * (spokes.unit(sample, axis) * spokes.line(sample).direction[along]);
      }
    };
    add(element.row, element.column);
    if (element.row != element.column) add(element.column, element.row);
    beyond.emplace_back(change - fit * fitted(change));
    moved.push_back(std::move(change));
  }
  Matrix curvature(count, count);
  Eigen::VectorXd right(count);
  for (Index a = 0; a < count; ++a) {
    const Values& change = moved[static_cast<std::size_t>(a)];
    right[a] = (change.conjugate().cwiseProduct(left)).sum().real();
    for (Index b = 0; b < count; ++b) {
      curvature(a, b) = (change.conjugate().cwiseProduct(beyond[static_cast<std::size_t>(b)])).sum().real();
    }
  }
  const double variance = left.squaredNorm() / static_cast<double>(2 * (rows - columns) * coils);
  const Matrix covariance = variance * detail::solve_semidefinite(curvature, Matrix::Identity(count, count));
  return {detail::solve_semidefinite(curvature, right), std::sqrt(std::max(covariance.diagonal().maxCoeff(), 0.0)),
          rows};
}

}  // namespace

namespace detail {

DelayEstimate estimate_spoke_delays(const Context& ctx, const DelayFrame& frame, const Shape& image,
                                    const ReadoutPart& part, DelayStart start) {
  double largest = 0;
  for (const std::complex<float>& value : frame.data.span()) {
    largest = std::max(largest, std::abs(std::complex<double>(value)));
  }
  const Spokes spokes(*frame.trajectory, image, part);
  DelayEstimate estimate;
  if (start == DelayStart::energy) estimate.delays = first_guess(spokes, frame.data);
  // Once steps are small, the samples stay: those at the very edge would come and go with each step and keep it from
  // settling.
  GradientDelays chosen = estimate.delays;
  bool settles = false;
  for (int step = 0; step < most_steps; ++step) {
    ctx.check_cancel("gradient delays");
    if (!settles) chosen = estimate.delays;
    const Step next = improve(spokes, frame.data, estimate.delays, chosen, 1 / largest);
    estimate.standard_error = next.standard_error;
    estimate.samples = next.samples;
    if (!next.change.allFinite()) break;
    for (Index e = 0; e < next.change.size(); ++e) {
      at(estimate.delays, spokes.elements()[static_cast<std::size_t>(e)]) +=
          std::clamp(next.change[e], -most_step, most_step);
    }
    settles = settles || next.change.cwiseAbs().maxCoeff() < settled;
    if (next.change.cwiseAbs().maxCoeff() <= done) return estimate;
  }
  throw ValueError(
      "gradient delays: the center of k-space does not determine them; give the delays, or take more spokes");
}

}  // namespace detail

}  // namespace whorl
