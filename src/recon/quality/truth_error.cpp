#include "whorl/recon/truth_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "recon/hold_to.hpp"
#include "recon/quality/noise_streams.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/standard_deviation.hpp"

namespace whorl {

namespace {

// The moments that have a value at each voxel; they may be const.
template <class Moments>
auto of_voxels(Moments& moments) {
  return std::array{&moments.noise, &moments.bias, &moments.taken, &moments.score_noise, &moments.score_object};
}

// Sums over the balls of voxels within a radius, cut off at the border of the image.
class BallSums {
 public:
  BallSums(const Shape& image, double radius) {
    if (image.rank() != 2 && image.rank() != 3) {
      throw ShapeError(
          fmt::format("truth error: an image of shape {}, expected [y, x] or [z, y, x]", to_string(image)));
    }
    if (!(radius >= 0) || !std::isfinite(radius)) {
      throw ValueError(fmt::format("truth error: a radius of {}, expected a finite number, 0 or more", radius));
    }
    extent_ = {image.rank() == 3 ? image[0] : 1, image[image.rank() - 2], image[image.rank() - 1]};
    std::array<Index, 3> reach{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      reach[axis] = static_cast<Index>(std::min(radius, static_cast<double>(extent_[axis] - 1)));
    }
    for (Index z = -reach[0]; z <= reach[0]; ++z) {
      for (Index y = -reach[1]; y <= reach[1]; ++y) {
        for (Index x = -reach[2]; x <= reach[2]; ++x) {
          if (static_cast<double>(z * z + y * y + x * x) <= radius * radius) steps_.push_back({z, y, x});
        }
      }
    }
  }

  template <class Real>
  std::complex<double> operator()(const std::complex<Real>* values, Index voxel) const {
    const std::array<Index, 3> at{voxel / (extent_[2] * extent_[1]), voxel / extent_[2] % extent_[1],
                                  voxel % extent_[2]};
    std::complex<double> sum = 0;
    for (const auto& step : steps_) {
      std::array<Index, 3> there{};
      bool inside = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        there[axis] = at[axis] + step[axis];
        inside = inside && there[axis] >= 0 && there[axis] < extent_[axis];
      }
      if (inside) sum += std::complex<double>(values[(there[0] * extent_[1] + there[1]) * extent_[2] + there[2]]);
    }
    return sum;
  }

 private:
  std::array<Index, 3> extent_{};
  std::vector<std::array<Index, 3>> steps_;
};

// Two images of each replica, and what the penalty makes of them.
template <class Real>
class Replicas {
 public:
  using Complex = std::complex<Real>;

  Replicas(const RegularizedModel<Real>& model, double lambda, const StandardDeviationOptions& options, Index count)
      : model_(repeated(model, count)), single_(model), count_(count), options_(options), lambda_(lambda) {}

  // b = sum_t sqrt(w_t) W_t^H v_t, of streams that no noise has.
  Array<Complex> differences(const Context& ctx, Index first) const {
    Array<Complex> b(ctx, model_.encoding->domain());
    fill<Complex>(ctx, b, 0);
    std::uint64_t term = 1;
    for (const QuadraticPenalty<Real>& penalty : single_.penalties) {
      const Shape& image = single_.encoding->domain();
      Array<Complex> v(ctx, penalty.op == nullptr ? image : penalty.op->range());
      Array<Complex> back(ctx, image);
      for (Index i = 0; i < count_; ++i) {
        constexpr std::uint64_t apart = std::uint64_t{1} << 32;
        recon::fill_white_noise<Real>(ctx, v, options_.seed, term * apart + static_cast<std::uint64_t>(first + i));
        if (penalty.op != nullptr) penalty.op->adjoint(ctx, v, back);
        axpby<Real>(ctx, std::sqrt(penalty.weight), penalty.op == nullptr ? v : back, 1, b.slice(i));
      }
      ++term;
    }
    recon::hold_to<Real>(ctx, single_.support.get(), b.ref());
    return b;
  }

  struct Solved {
    Array<Complex> x;          // H^-1 b, on the host
    Array<Complex> penalized;  // W^H W x, on the host
    double penalty = 0;        // sum |W x|^2
  };

  Solved solve(const Context& ctx, const std::string& title, ArrayRef<const Complex> b, ErrorMoments& moments) const {
    Array<Complex> x(ctx, b.shape());
    fill<Complex>(ctx, x, 0);
    const SolverReport report = solve_regularized_normal<Real>(
        ctx, title, model_, {.iterations = options_.iterations, .tolerance = options_.tolerance, .lambda = lambda_}, b,
        x);
    moments.iterations = std::max(moments.iterations, report.iterations);
    moments.residual = std::max(moments.residual, report.residuals.back());
    Array<Complex> penalized(ctx, x.shape());
    apply_penalties<Real>(ctx, model_, x, penalized);
    Solved solved;
    solved.penalty = dot<Real>(ctx, x, penalized).real();
    solved.penalized = to_host<Complex>(ctx, penalized);
    solved.x = to_host<Complex>(ctx, x);
    return solved;
  }

 private:
  RegularizedModel<Real> model_;  // of all of them at once
  const RegularizedModel<Real>& single_;
  Index count_;
  StandardDeviationOptions options_;
  double lambda_;
};

// Moments of the replicas' images, as sums.
template <class Real>
struct MomentSums {
  using Complex = std::complex<Real>;

  const Context& ctx;
  const BallSums& ball;
  double lambda;
  double eigenvalue;
  ErrorMoments& moments;

  // Where they go: images of noise n = x / s, or biases b = sqrt(lambda / s) x of objects with W^H W rho = `object` / sqrt(lambda s).
  struct Targets {
    double per_square;  // of the factor of x
    std::vector<double>& squares;
    std::vector<double>& scores;
    double& penalty;
  };

  void add(const typename Replicas<Real>::Solved& solved, const Array<Complex>* object, const Targets& to) const {
    to.penalty += solved.penalty * to.per_square;
    const auto voxels = static_cast<Index>(moments.taken.size());
    for (Index i = 0; i < solved.x.extent(0); ++i) {
      const Index from = i * voxels;
      detail::parallel_for(ctx, "error moments", 0, voxels, [&](Index r) {
        const auto at = static_cast<std::size_t>(r);
        const std::complex<double> here(solved.x.data()[from + r]);
        const std::complex<double> pull = ball(solved.penalized.data() + from, r);
        const std::complex<double> score = (object != nullptr ? ball(object->data() + from, r) : 0.0) - lambda * pull;
        to.squares[at] += std::norm(here) * to.per_square;
        to.scores[at] += std::norm(score) * to.per_square;
        moments.taken[at] += lambda * eigenvalue * std::real(here * std::conj(pull)) * to.per_square;
      });
    }
  }
};

void check_truth(const Shape& domain, double lambda, double unit, const ErrorMoments& moments, const Shape& image) {
  if (image != domain) {
    throw ShapeError(
        fmt::format("truth error: an image of shape {}, expected {}", to_string(image), to_string(domain)));
  }
  for (const std::vector<double>* values : of_voxels(moments)) {
    if (std::ssize(*values) == image.size()) continue;
    throw ShapeError(
        fmt::format("truth error: moments of {} voxels, expected {} as the image has; take those of the model",
                    values->size(), image.size()));
  }
  for (const auto& [name, value] : {std::pair("lambda", lambda), std::pair("unit", unit)}) {
    if (value > 0 && std::isfinite(value)) continue;
    throw ValueError(fmt::format("truth error: {} is {}, expected a finite number above 0", name, value));
  }
}

void divide(ErrorMoments& moments, double count) {
  for (std::vector<double>* values : of_voxels(moments)) {
    for (double& value : *values) value /= count;
  }
  moments.noise_penalty /= count;
  moments.bias_penalty /= count;
}

template <class Real>
double unknowns_of(const Context& ctx, const RegularizedModel<Real>& model, Index voxels) {
  if (model.support == nullptr) return static_cast<double>(voxels);
  const Array<Real> support = to_host<const Real>(ctx, model.support->ref());
  return static_cast<double>(std::ranges::count_if(support.span(), [](Real inside) { return inside > 0; }));
}

}  // namespace

template <Precision Real>
ErrorMoments error_moments(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                           double lambda, double radius, const StandardDeviationOptions& options) {
  StandardDeviationOptions replicas = options;
  replicas.method = StandardDeviationMethod::replica;
  check_standard_deviation(replicas);
  if (!(lambda > 0)) throw ValueError(fmt::format("error moments: lambda is {}, expected more than 0", lambda));
  const BallSums ball(model.encoding->domain(), radius);
  const double s = model.eigenvalue;
  const Index voxels = model.encoding->domain().size();
  ErrorMoments moments;
  for (std::vector<double>* values : of_voxels(moments)) values->resize(static_cast<std::size_t>(voxels));
  const MomentSums<Real> sums{ctx, ball, lambda, model.eigenvalue, moments};
  ProgressStage stage(ctx, title, options.count);
  for (Index first = 0; first < options.count; first += options.batch) {
    const Index count = std::min<Index>(options.batch, options.count - first);
    const Replicas<Real> batch(model, lambda, replicas, count);
    const std::string name = fmt::format("replicas {} to {}", first + 1, first + count);
    auto noise = recon::adjoints_of_noise<Real>(ctx, *model.encoding, count, options.seed, first);
    sums.add(batch.solve(ctx, name, noise, moments), nullptr,
             {1 / (s * s), moments.noise, moments.score_noise, moments.noise_penalty});
    noise = {};  // its memory, before the objects take theirs
    const auto objects = batch.differences(ctx, first);
    const auto of_objects = to_host<const std::complex<Real>>(ctx, objects.ref());
    sums.add(batch.solve(ctx, name, objects, moments), &of_objects,
             {lambda / s, moments.bias, moments.score_object, moments.bias_penalty});
    stage.advance(count);
  }
  divide(moments, options.count);
  return moments;
}

template <Precision Real>
TruthError<Real> truth_error(const Context& ctx, const RegularizedModel<Real>& model, double lambda, double radius,
                             const ErrorMoments& moments, ArrayRef<const std::complex<Real>> image, double unit) {
  using Complex = std::complex<Real>;
  check_truth(model.encoding->domain(), lambda, unit, moments, image.shape());
  const BallSums ball(image.shape(), radius);
  const double s = model.eigenvalue;
  Array<Complex> penalized(ctx, image.shape());
  apply_penalties<Real>(ctx, model, image, penalized);
  const double energy = dot<Real>(ctx, image, penalized).real() * unit * unit;
  const Array<Complex> gradient = to_host<Complex>(ctx, penalized);
  const Array<Complex> x = to_host<const Complex>(ctx, image);
  TruthError<Real> result{Array<Real>(ctx.host(), image.shape()), Array<Real>(ctx.host(), image.shape())};
  const double left =
      unknowns_of(ctx, model, image.size()) - lambda * s * (2 * moments.noise_penalty + moments.bias_penalty);
  result.contrast = lambda * s * std::max(0.0, energy - moments.noise_penalty) / std::max(left, 1.0);
  detail::parallel_for(ctx, "truth error", 0, image.size(), [&](Index r) {
    const auto at = static_cast<std::size_t>(r);
    const double variance = moments.noise[at] / 2 + result.contrast * moments.bias[at];
    const double information = s * (moments.score_noise[at] + moments.score_object[at]);
    double shift = 0;
    double extra = 0;
    if (information > 0) {
      const double gain = moments.taken[at] / information;  // c / F
      const std::complex<double> pull = gain * unit * lambda * ball(gradient.data(), r);
      const std::complex<double> here(x.data()[r]);
      shift = std::abs(here) > 0 ? std::abs(std::real(pull * std::conj(here))) / std::abs(here) : std::abs(pull);
      extra = gain * gain * (moments.score_noise[at] / 2 + result.contrast * moments.score_object[at]);
    }
    constexpr double within_95 = 1.959964;
    result.bar.data()[r] = static_cast<Real>(std::sqrt(variance));
    result.bound.data()[r] = static_cast<Real>(shift + within_95 * std::sqrt(variance + extra));
  });
  return result;
}

#define WHORL_TRUTH_ERROR(Real)                                                                                        \
  template ErrorMoments error_moments<Real>(const Context&, const std::string&, const RegularizedModel<Real>&, double, \
                                            double, const StandardDeviationOptions&);                                  \
  template TruthError<Real> truth_error<Real>(const Context&, const RegularizedModel<Real>&, double, double,           \
                                              const ErrorMoments&, ArrayRef<const std::complex<Real>>, double);
WHORL_TRUTH_ERROR(float)
WHORL_TRUTH_ERROR(double)
#undef WHORL_TRUTH_ERROR

}  // namespace whorl
