// What the choice of a weight takes, and the error of its image, beside a careful search: thirteen weights, each with solves to a
// tight tolerance, and degrees of freedom by a solve of its own. One JSON object a line.
//
//   whorl_weight_choices [part of a problem's name]
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "bench/penalties/problems.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/regularized_noise.hpp"

namespace {

using namespace whorl;
using Complex = std::complex<float>;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<bench::PenaltyProblem> problems() {
  const auto still = [](const char* name, const char* terms, double noise) {
    return bench::PenaltyProblem{.name = name, .image = {64, 60}, .readouts = 25, .noise = noise, .terms = terms};
  };
  const auto series = [](const char* name, const char* terms) {
    return bench::PenaltyProblem{.name = name,
                                 .scene = bench::PenaltyProblem::Scene::beating,
                                 .image = {32, 30},
                                 .frames = 10,
                                 .readouts = 9,
                                 .lambda = 1e-4,
                                 .terms = terms};
  };
  std::vector<bench::PenaltyProblem> all{
      still("radial, high SNR, tv", "tv:1", 0.005),
      still("radial, tv", "tv:1", 0.03),
      still("radial, low SNR, tv", "tv:1", 0.15),
      still("radial, high SNR, wavelet", "wavelet:1", 0.005),
      still("radial, wavelet", "wavelet:1", 0.03),
      still("radial, low SNR, wavelet", "wavelet:1", 0.15),
      still("radial, tgv", "tgv:1", 0.03),
      still("radial, 12 coils, tv", "tv:1", 0.03),
      {.name = "kooshball, tv", .image = {20, 24, 22}, .readouts = 120, .terms = "tv:1"},
      series("series, tv in space and time", "tv:1,axes=xyt"),
      series("series, llr", "llr:1"),
  };
  all[7].coils = 12;
  return all;
}

class Choices {
 public:
  Choices(const Context& ctx, const bench::PenaltyProblem& what)
      : ctx_(ctx), what_(what), problem_(bench::prepare(ctx, what, applications_)), truth_(bench::truth_of(ctx, what)) {
    options_.lambda = what.lambda;
    options_.iterations = 500;
  }

  void print() {
    const double medium =
        threshold_of_noise(bench::terms_of(what_).front(), problem_.series) * problem_.of_voxel / problem_.largest;
    restart();
    Array<Complex> x = zeros<Complex>(ctx_, problem_.b.shape());
    solve(medium, problem_.b, options_, x, nullptr);
    fmt::print(R"({{"problem": "{}", "terms": "{}", "medium": {:.3e}, "solve": {{{}, "error": {:.5f}}})", what_.name,
               what_.terms, medium, taken(), error(x));
    restart();
    LambdaSearchOptions search = usual_weight_search(medium);
    const LambdaCurve curve = weight_curve<float>(
        ctx_, problem_.model, [&](double weight) { return terms(weight); }, options_, problem_.data, search);
    print_choice("now", choose_lambda(curve, LambdaMethod::gcv).lambda);
    fmt::print(R"(, "weights": {})", curve.points.size());
    restart();
    search.method = LambdaMethod::discrepancy;
    print_choice("discrepancy", choose_lambda(weight_curve<float>(
                                                  ctx_, problem_.model, [&](double weight) { return terms(weight); },
                                                  options_, problem_.data, search),
                                              LambdaMethod::discrepancy)
                                    .lambda);
    restart();
    const LambdaCurve careful = careful_curve(medium);
    print_choice("careful", choose_lambda(careful, LambdaMethod::gcv).lambda);
    print_choice("careful_discrepancy", choose_lambda(careful, LambdaMethod::discrepancy).lambda);
    fmt::print(R"(, "best": {{"weight": {:.3e}, "error": {:.5f}}}}})", best_, least_);
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  std::vector<ProximalPenalty<float>> terms(double weight) const {
    std::vector<Regularizer> all = bench::terms_of(what_);
    for (Regularizer& one : all) {
      one.weight = weight;
      one.unit = WeightUnit::largest;
    }
    return make_penalties<float>(problem_.series, all, problem_.largest);
  }

  SolverReport solve(double weight, ArrayRef<const Complex> b, const RegularizedOptions& options, ArrayRef<Complex> x,
                     RegularizedStart<float>* start) {
    return regularized_least_squares<float>(ctx_, "solve", problem_.model, terms(weight), options, b, 0, x, start);
  }

  // From the largest weight down: an image, and that of the data with a tenth of the noise more.
  LambdaCurve careful_curve(double medium) {
    const Context host = ctx_.host();
    Array<Complex> noise(host, problem_.data.shape());
    fill_random_normal(noise, 77);
    Array<Complex> of_noise(ctx_, problem_.b.shape());
    problem_.model.encoding->adjoint(ctx_, noise, of_noise);
    axpby<float>(ctx_, 1 / problem_.model.eigenvalue, of_noise, 0, of_noise);
    LambdaCurve curve{.points = {}, .samples = problem_.data.size(), .eigenvalue = problem_.model.eigenvalue};
    Array<Complex> x = zeros<Complex>(ctx_, problem_.b.shape());
    Array<Complex> samples(ctx_, problem_.data.shape());
    RegularizedStart<float> start;
    constexpr double size = 0.1;
    RegularizedOptions tight = options_;
    tight.tolerance = std::min(1e-5, 0.003 * size * norm<float>(ctx_, of_noise) / norm<float>(ctx_, problem_.b));
    for (int i = 6; i >= -6; --i) {
      LambdaPoint point{.lambda = medium * std::pow(10, 0.25 * i)};
      solve(point.lambda, problem_.b, tight, x, &start);
      problem_.model.encoding->forward(ctx_, x, samples);
      axpby<float>(ctx_, 1, problem_.data, -1, samples);
      point.residual = std::pow(norm<float>(ctx_, samples), 2);
      Array<Complex> right = clone<const Complex>(ctx_, of_noise);
      axpby<float>(ctx_, 1, problem_.b, size, right);
      Array<Complex> other = clone<const Complex>(ctx_, x);
      RegularizedStart<float> from;
      from.duals.step = start.duals.step;
      for (const auto& dual : start.duals.duals) from.duals.duals.push_back(clone<const Complex>(ctx_, dual));
      if (start.unknowns.size() > 0) from.unknowns = clone<const Complex>(ctx_, start.unknowns);
      solve(point.lambda, right, tight, other, &from);
      axpby<float>(ctx_, -1, x, 1, other);
      point.freedom = problem_.model.eigenvalue * dot<float>(ctx_, of_noise, other).real() / size;
      point.penalty = 1;
      const double found = error(x);
      if (least_ == 0 || found < least_) {
        least_ = found;
        best_ = point.lambda;
      }
      curve.points.insert(curve.points.begin(), point);
    }
    return curve;
  }

  double error(const Array<Complex>& x) const {
    Array<Complex> difference = clone<const Complex>(ctx_, x);
    axpby<float>(ctx_, -what_.noise, truth_, 1, difference);
    return norm<float>(ctx_, difference) / (what_.noise * norm<float>(ctx_, truth_));
  }

  void restart() {
    applications_ = {};
    start_ = cpu_seconds();
  }
  std::string taken() const {
    return fmt::format(R"("applications": {:.0f}, "seconds": {:.3f})", applications_.count, cpu_seconds() - start_);
  }

  void print_choice(const char* name, double weight) {
    const std::string cost = taken();
    Array<Complex> x = zeros<Complex>(ctx_, problem_.b.shape());
    solve(weight, problem_.b, options_, x, nullptr);
    fmt::print(R"(, "{}": {{"weight": {:.3e}, {}, "error": {:.5f}}})", name, weight, cost, error(x));
  }

  const Context& ctx_;
  const bench::PenaltyProblem& what_;
  bench::Applications applications_;
  bench::PreparedPenaltyProblem problem_;
  Array<Complex> truth_;
  RegularizedOptions options_;
  double start_ = 0;
  double best_ = 0;
  double least_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  try {
    const Context ctx({.threads = 1});
    for (const bench::PenaltyProblem& what : problems()) {
      if (what.name.find(part) != std::string::npos) Choices(ctx, what).print();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "whorl_weight_choices: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
