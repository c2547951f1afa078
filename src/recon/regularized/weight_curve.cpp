#include "whorl/recon/weight_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "recon/regularized/dual_terms.hpp"
#include "recon/regularized/inner_preconditioner.hpp"
#include "recon/regularized/noisy_problems.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/choose_lambda.hpp"

namespace whorl {

namespace {

// A solve ends where so many iterations change its score by at most these parts of the noise's part in it, and of the change
// from the weight above: errors beside the best weights are in docs/howto/regularization.md.
constexpr int looks_of_admm = 3;
constexpr int looks_of_others = 5;
constexpr double part_of_noise = 0.02;
constexpr double part_of_change = 0.05;

// Images of one weight after the other, from high to low. Data as they are and data with a little noise are solved as one
// problem, so that both make the same steps. What their images lack of convergence drops out of the difference.
template <class Real>
class WeightPath {
 public:
  using Complex = std::complex<Real>;

  WeightPath(const Context& ctx, const RegularizedModel<Real>& model, const RegularizedOptions& options,
             ArrayRef<const Complex> b, ArrayRef<const Complex> data, const LambdaSweepOptions& sweep)
      : ctx_(ctx),
        model_(model),
        members_(1 + sweep.probes),
        together_(repeated(model, members_)),
        options_(options),
        data_(data),
        square_of_data_(dot<Real>(ctx, data, data).real()),
        right_(ctx, together_.encoding->domain()),
        images_(zeros<Complex>(ctx, right_.shape())),
        samples_(ctx, data.shape()),
        size_(recon::small_noise * std::sqrt(square_of_data_ / count_of_samples())) {
    options_.tolerance = 0;  // the score ends a solve
    options_.change = 0;
    copy<Complex>(ctx, b, right_.slice(0));
    for (int i = 0; i < sweep.probes; ++i) {
      noise_.push_back(recon::adjoint_of_noise(ctx, model, sweep.seed, static_cast<std::uint64_t>(i)));
    }
    before_ = score(square_of_data_, 0);
    set_right();
  }

  LambdaPoint point(double weight, const std::vector<ProximalPenalty<Real>>& terms, LambdaCurve& curve) {
    const bool by_admm = recon::solver_of(options_.solver, terms, model_.support != nullptr) == RegularizedSolver::admm;
    const int every = by_admm ? looks_of_admm : looks_of_others;
    double last = before_;
    bool settled = false;
    int looked = 0;
    const SolverReport report = recon::solve_regularized<Real>(
        ctx_, fmt::format("weight {:.2e}", weight), together_, terms, options_, right_, 0, images_, &start_, nullptr,
        [&](int iteration, double) {
          if (iteration % every != 0) return true;
          look();
          looked = iteration;
          const double now = score(residual_, freedom_);
          const double enough = std::max(part_of_noise * noise_in_score(), part_of_change * std::abs(now - before_));
          settled = std::abs(now - std::exchange(last, now)) <= enough;
          return !settled;
        },
        &spectra_);
    if (looked != report.iterations) look();
    before_ = score(residual_, freedom_);
    curve.iterations += report.iterations;
    if (!settled) ++curve.unfinished;
    const LambdaPoint found{weight, residual_, penalty(terms, weight), freedom_};
    shrink_noise(terms);
    return found;
  }

 private:
  double count_of_samples() const { return static_cast<double>(data_.size()); }

  // What decides between weights, in units of the noise's energy: m log G of cross-validation, or m log |A x - d|^2.
  double score(double residual, double freedom) const {
    const double m = count_of_samples();
    if (noise_.empty()) return m * std::log(residual);
    return m * (std::log(residual) - 2 * std::log(std::max(1 - freedom / m, std::numeric_limits<double>::min())));
  }

  double noise_in_score() const { return noise_.empty() ? 0.01 * count_of_samples() : freedom_; }

  // The residual and the degrees of freedom of the images as they are.
  void look() {
    model_.encoding->forward(ctx_, images_.slice(0), samples_);
    axpby<Real>(ctx_, 1, data_, -1, samples_);
    residual_ = dot<Real>(ctx_, samples_, samples_).real();
    freedom_ = noise_.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
    for (std::size_t i = 0; i < noise_.size(); ++i) {
      const double change = dot<Real>(ctx_, noise_[i], images_.slice(static_cast<Index>(i) + 1)).real() -
                            dot<Real>(ctx_, noise_[i], images_.slice(0)).real();
      freedom_ += model_.eigenvalue * change / (size_ * static_cast<double>(noise_.size()));
    }
  }

  // The square of the terms' sum over the weight, of the image itself. It takes no application of A^H A.
  double penalty(const std::vector<ProximalPenalty<Real>>& terms, double weight) const {
    double sum = 0;
    const Complex* unknowns = start_.unknowns.data();
    for (const ProximalPenalty<Real>& one : terms) {
      const ArrayRef<const Complex> image(images_.data(), one.domain(), images_.device());
      if (one.infimal() == nullptr) {
        sum += one.weighted()->weight * one.weighted()->g->value(ctx_, image);
        continue;
      }
      const ArrayRef<const Complex> w(unknowns, one.infimal()->auxiliary(), images_.device());
      sum += one.infimal()->value(ctx_, image, w);
      unknowns += members_ * one.unknowns();
    }
    return std::pow(sum / weight, 2);
  }

  void set_right() {
    for (std::size_t i = 0; i < noise_.size(); ++i) {
      const ArrayRef<Complex> right = right_.slice(static_cast<Index>(i) + 1);
      copy<Complex>(ctx_, right_.slice(0), right);
      axpby<Real>(ctx_, size_, noise_[i], 1, right);
    }
  }

  // Noise a tenth of the residual, and images that differ by as much less.
  void shrink_noise(const std::vector<ProximalPenalty<Real>>& terms) {
    const double wanted = recon::small_noise * std::sqrt(residual_ / count_of_samples());
    if (noise_.empty() || wanted > 0.5 * size_) return;
    const double factor = wanted / std::exchange(size_, wanted);
    set_right();
    draw_near(images_.data(), images_.size() / members_, factor);
    for (Array<Complex>& dual : start_.duals.duals) draw_near(dual.data(), dual.size() / members_, factor);
    Complex* unknowns = start_.unknowns.data();
    for (const ProximalPenalty<Real>& one : terms) {
      if (one.infimal() == nullptr) continue;
      draw_near(unknowns, one.unknowns(), factor);
      unknowns += members_ * one.unknowns();
    }
  }

  // Parts of several members, of so many elements each: differences to the first become so much less.
  void draw_near(Complex* parts, Index size, double factor) {
    const ArrayRef<const Complex> first(parts, {size}, images_.device());
    for (Index i = 1; i < members_; ++i) {
      axpby<Real>(ctx_, 1 - factor, first, factor, ArrayRef<Complex>(parts + i * size, {size}, images_.device()));
    }
  }

  const Context& ctx_;
  const RegularizedModel<Real>& model_;
  Index members_;
  RegularizedModel<Real> together_;
  RegularizedOptions options_;
  ArrayRef<const Complex> data_;
  double square_of_data_;
  Array<Complex> right_;  // [member, (frame, z,) y, x]
  Array<Complex> images_;
  Array<Complex> samples_;
  double size_;  // of the noise that is added
  std::vector<Array<Complex>> noise_;
  RegularizedStart<Real> start_;
  recon::EncodingSpectra<Real> spectra_;
  double residual_ = 0;
  double freedom_ = 0;
  double before_ = 0;  // the score of the weight above
};

// Whether two weights beyond the one that is looked for are known.
bool is_enough(const LambdaCurve& curve, const LambdaSearchOptions& search) {
  if (curve.points.size() < 5) return false;
  if (search.method == LambdaMethod::discrepancy) {
    const double noise = search.noise_energy * static_cast<double>(curve.samples);
    return curve.points[1].residual < noise;
  }
  const std::vector<double> values = gcv_values(curve);
  return *std::min_element(values.begin() + 2, values.end()) < std::min(values[0], values[1]);
}

}  // namespace

LambdaSearchOptions usual_weight_search(double medium) {
  LambdaSearchOptions search{.sweep = {.lowest = 1e-5, .highest = 0.1, .per_decade = 3}};
  if (medium > 0) {
    search.sweep.lowest = 0.01 * medium;
    search.sweep.highest = 31.6 * medium;
  }
  return search;
}

template <Precision Real>
LambdaCurve weight_curve(const Context& ctx, const RegularizedModel<Real>& model,
                         const std::function<std::vector<ProximalPenalty<Real>>(double weight)>& penalties,
                         const RegularizedOptions& options, ArrayRef<const std::complex<Real>> b,
                         ArrayRef<const std::complex<Real>> data, const LambdaSearchOptions& search) {
  LambdaSweepOptions sweep = search.sweep;
  if (search.method != LambdaMethod::gcv) sweep.probes = 0;
  const double decades = std::log10(sweep.highest / sweep.lowest);
  const int steps = static_cast<int>(std::lround(decades * sweep.per_decade));
  if (!(sweep.lowest > 0) || !(decades > 0) || steps < 4) {
    throw ValueError(fmt::format("choice of weights: {} per decade from {} to {}, expected at least 5 rising weights",
                                 sweep.per_decade, sweep.lowest, sweep.highest));
  }
  ProgressStage stage(ctx, "choice of weights", steps + 1);
  LambdaCurve curve{.points = {}, .samples = data.size(), .eigenvalue = model.eigenvalue};
  WeightPath<Real> path(ctx, model, options, b, data, sweep);
  for (int i = steps; i >= 0 && !is_enough(curve, search); --i) {
    const double weight = sweep.lowest * std::pow(10, decades * i / steps);
    curve.points.insert(curve.points.begin(), path.point(weight, penalties(weight), curve));
    stage.advance();
  }
  return curve;
}

#define WHORL_INSTANTIATE(Real)                                                                             \
  template LambdaCurve weight_curve<Real>(const Context&, const RegularizedModel<Real>&,                    \
                                          const std::function<std::vector<ProximalPenalty<Real>>(double)>&, \
                                          const RegularizedOptions&, ArrayRef<const std::complex<Real>>,    \
                                          ArrayRef<const std::complex<Real>>, const LambdaSearchOptions&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
