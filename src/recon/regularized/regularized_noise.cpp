#include "whorl/recon/regularized_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "recon/quality/noise_streams.hpp"
#include "recon/regularized/dual_terms.hpp"
#include "recon/regularized/noisy_problems.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// A standard deviation has settled where so many iterations change it by at most this part of it (l2). An iteration of other
// solvers than ADMM does less. What is left falls by about the same factor from one look to the next, so that the sum of
// what is to come is known (Aitken); without it a scan of many spokes was 8 % low. Factors above the largest are not trusted.
constexpr int steps_of_admm = 5;
constexpr int steps_of_others = 20;
constexpr double settled = 0.05;
constexpr double largest_factor = 0.85;

// An array, several times over.
template <class Real>
Array<std::complex<Real>> repeated(const Context& ctx, ArrayRef<const std::complex<Real>> one, Index copies) {
  using Complex = std::complex<Real>;
  if (copies == 1) return clone<Complex>(ctx, one);
  Array<Complex> all(ctx, one.shape().with_front(copies));
  for (Index i = 0; i < copies; ++i) copy<Complex>(ctx, one, all.slice(i));
  return all;
}

// The state of a solve, for some copies of its problem that are solved together.
template <class Real>
RegularizedStart<Real> repeated(const Context& ctx, const RegularizedStart<Real>& start,
                                const std::vector<ProximalPenalty<Real>>& penalties, Index copies) {
  using Complex = std::complex<Real>;
  RegularizedStart<Real> several;
  several.duals.step = start.duals.step;
  for (const Array<Complex>& one : start.duals.duals) {
    several.duals.duals.push_back(repeated<Real>(ctx, one.ref(), copies));
  }
  if (start.unknowns.size() == 0) return several;
  several.unknowns = Array<Complex>(ctx, {copies * start.unknowns.size()});
  const Complex* from = start.unknowns.data();
  Complex* to = several.unknowns.data();
  for (const ProximalPenalty<Real>& one : penalties) {
    const Shape part{one.unknowns()};
    for (Index i = 0; i < copies; ++i, to += part.size()) {
      copy<Complex>(ctx, ArrayRef<const Complex>(from, part, ctx.device()), ArrayRef<Complex>(to, part, ctx.device()));
    }
    from += part.size();
  }
  return several;
}

// Tight enough for a change of b by that of the size given: a solve that starts from the image would end before it has
// followed. A hundredth of the change is less than what the number of replicas leaves.
template <class Real>
RegularizedOptions options_for_change(const Context& ctx, RegularizedOptions options,
                                      ArrayRef<const std::complex<Real>> change, double size,
                                      ArrayRef<const std::complex<Real>> b) {
  const double relative = size * norm<Real>(ctx, change) / norm<Real>(ctx, b);
  options.tolerance = std::min(options.tolerance, 0.01 * relative);
  options.change = 0;
  return options;
}

// squares += the sum of |image - base|^2 over the images
template <class Real>
void add_squares(const Context& ctx, ArrayRef<const std::complex<Real>> images, ArrayRef<const std::complex<Real>> base,
                 ArrayRef<double> squares) {
  using Complex = std::complex<Real>;
  Array<Complex> difference(ctx, base.shape().with_front(1));
  for (Index i = 0; i < images.extent(0); ++i) {
    copy<Complex>(ctx, images.slice(i), difference.slice(0));
    axpby<Real>(ctx, -1, base, 1, difference.slice(0));
    add_products<Real>(ctx, difference, difference, squares);
  }
}

// Ends a solve where the root of the sum of squares of its images' differences to a base hardly changes any more.
template <class Real>
class Settling {
 public:
  using Complex = std::complex<Real>;

  Settling(const Context& ctx, int every, ArrayRef<const Complex> images, ArrayRef<const Complex> base)
      : ctx_(ctx),
        every_(every),
        images_(images),
        base_(base),
        roots_(static_cast<std::size_t>(base.size())),
        changes_(roots_.size()) {}

  bool goes_on(int iteration) {
    if (iteration % every_ != 0) return true;
    const Array<double> now = squares();
    double change = 0;
    double size = 0;
    double along_before = 0;
    double before = 0;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const double root = std::sqrt(now.span()[i]);
      const double difference = root - roots_[i];
      change += difference * difference;
      size += root * root;
      along_before += difference * changes_[i];
      before += changes_[i] * changes_[i];
      changes_[i] = difference;
      roots_[i] = root;
    }
    factor_ = before > 0 && before < size ? along_before / before : 0;
    settled_ = change <= settled * settled * size;
    return !settled_;
  }

  /// sums += the images' sums of squares, as they will be where the solve has settled.
  void add_to(std::vector<double>& sums) const {
    if (!settled_) {
      const Array<double> now = squares();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += now.span()[i];
      return;
    }
    const double factor = std::clamp(factor_, 0.0, largest_factor);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += std::pow(std::max(0.0, roots_[i] + changes_[i] * factor / (1 - factor)), 2);
    }
  }

 private:
  Array<double> squares() const {
    Array<double> sums = zeros<double>(ctx_, base_.shape());
    add_squares<Real>(ctx_, images_, base_, sums);
    return to_host<double>(ctx_, sums.ref());
  }

  const Context& ctx_;
  int every_;
  ArrayRef<const Complex> images_;
  ArrayRef<const Complex> base_;
  std::vector<double> roots_;    // at the last look
  std::vector<double> changes_;  // since the look before
  double factor_ = 0;            // from one change to the next
  bool settled_ = false;
};

}  // namespace

template <Precision Real>
double noise_of_voxel(const Context& ctx, const RegularizedModel<Real>& model, double noise) {
  using Complex = std::complex<Real>;
  if (!(noise > 0)) return 0;
  // The variance of A^H n / s is the diagonal of A^H A over s^2: its sum is E <z, A^H A z> for random z (Hutchinson).
  const Shape& shape = model.encoding->domain();
  Array<Complex> z(ctx, shape);
  recon::fill_quarter_turns<Real>(ctx, z, 0, 0);
  Array<Complex> made(ctx, shape);
  model.encoding->normal(ctx, z, made);
  const double trace = dot<Real>(ctx, z, made).real();
  const Array<Complex> here = to_host<const Complex>(ctx, made);
  const auto seen =
      std::count_if(here.span().begin(), here.span().end(), [](Complex value) { return value != Complex(0); });
  return seen > 0 ? noise / model.eigenvalue * std::sqrt(std::max(trace, 0.0) / static_cast<double>(seen)) : 0;
}

template <Precision Real>
StandardDeviation<Real> regularized_standard_deviation(
    const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
    const std::vector<ProximalPenalty<Real>>& penalties, const RegularizedOptions& options,
    ArrayRef<const std::complex<Real>> b, ArrayRef<const std::complex<Real>> x, const RegularizedStart<Real>& start,
    const StandardDeviationOptions& noise, double level) {
  using Complex = std::complex<Real>;
  check_standard_deviation(noise);
  const bool linear = noise.method == StandardDeviationMethod::probe;
  const double size = linear ? recon::small_noise * level : level;
  StandardDeviation<Real> result;
  ProgressStage stage(ctx, title, noise.count);
  Array<Complex> sum = zeros<Complex>(ctx, x.shape());
  std::vector<double> square_sums(static_cast<std::size_t>(x.size()));
  RegularizedOptions tight = options;
  tight.nearby = true;
  const bool by_admm = recon::solver_of(options.solver, penalties, model.support != nullptr) == RegularizedSolver::admm;
  const int every = by_admm ? steps_of_admm : steps_of_others;
  const Index batches = divide_up(noise.count, noise.batch);
  for (Index batch = 0; batch < batches; ++batch) {
    const Index first = batch * noise.count / batches;
    const Index count = (batch + 1) * noise.count / batches - first;
    // A difference to the image that the same steps make of the data as they are: it comes last.
    const Index members = linear ? count + 1 : count;
    Array<Complex> right(ctx, x.shape().with_front(members));
    Array<Complex> images(ctx, right.shape());
    for (Index i = 0; i < members; ++i) {
      copy<Complex>(ctx, x, images.slice(i));
      if (i == count) {
        copy<Complex>(ctx, b, right.slice(i));
        continue;
      }
      const Array<Complex> change =
          recon::adjoint_of_noise(ctx, model, noise.seed, static_cast<std::uint64_t>(first + i));
      if (first + i == 0) tight = options_for_change<Real>(ctx, tight, change, size, b);
      copy<Complex>(ctx, change, right.slice(i));
      axpby<Real>(ctx, 1, b, size, right.slice(i));
    }
    RegularizedStart<Real> from = repeated(ctx, start, penalties, members);
    const ArrayRef<const Complex> base = linear ? images.slice(count) : x;
    Settling<Real> differences(ctx, every, images.ref().range(0, count), base);
    const SolverReport report = regularized_least_squares<Real>(
        ctx, fmt::format("{} {} to {}", linear ? "probes" : "replicas", first + 1, first + count),
        whorl::repeated(model, members), penalties, tight, right, 0, images, &from, nullptr,
        [&](int iteration, double) { return differences.goes_on(iteration); });
    result.iterations = std::max(result.iterations, report.iterations);
    result.applications += members * report.operator_applications;
    result.residual = std::max(result.residual, report.residuals.back());
    result.limited = result.limited || report.stop_reason == StopReason::iterations;
    differences.add_to(square_sums);
    for (Index i = 0; i < count; ++i) {
      axpby<Real>(ctx, 1, images.slice(i), 1, sum);
      axpby<Real>(ctx, -1, base, 1, sum);
    }
    stage.advance(static_cast<int>(count));
  }
  const Array<Complex> sums = to_host<Complex>(ctx, sum.ref());
  result.values = Array<Real>(ctx.host(), x.shape());
  const double count = noise.count;
  for (std::size_t i = 0; i < square_sums.size(); ++i) {
    const double square = square_sums[i];
    const double of_mean = std::norm(std::complex<double>(sums.span()[i])) / count;
    const double variance = linear ? square / (count * recon::small_noise * recon::small_noise)
                                   : std::max(square - of_mean, 0.0) / (count - 1);
    result.values.span()[i] = static_cast<Real>(std::sqrt(variance));
  }
  result.relative_error = 0.5 / std::sqrt(linear ? count : count - 1);
  return result;
}

#define WHORL_INSTANTIATE(Real)                                                                                     \
  template StandardDeviation<Real> regularized_standard_deviation<Real>(                                            \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<ProximalPenalty<Real>>&, \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, ArrayRef<const std::complex<Real>>,            \
      const RegularizedStart<Real>&, const StandardDeviationOptions&, double);                                      \
  template double noise_of_voxel<Real>(const Context&, const RegularizedModel<Real>&, double);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
