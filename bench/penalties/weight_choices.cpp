// What the choice of a weight takes, and the error of its image, beside a careful search: thirteen weights, each with solves to a
// tight tolerance, and degrees of freedom by a solve of its own. One JSON object a line.
//
//   whorl_weight_choices [part of a problem's name]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "bench/penalties/problems.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/regularized_noise.hpp"
#include "whorl/recon/weight_curve.hpp"

namespace {

using namespace whorl;
using Complex = std::complex<float>;

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
    cost_.restart();
    const double found = error_of(medium);
    fmt::print(R"({{"problem": "{}", "terms": "{}", "medium": {:.3e}, "solve": {{{}, "error": {:.5f}}})", what_.name,
               what_.terms, medium, cost_.text(), found);
    LambdaSearchOptions search = usual_weight_search(medium);
    print_choice("now", usual_curve(search), LambdaMethod::gcv);
    search.method = LambdaMethod::discrepancy;
    print_choice("discrepancy", usual_curve(search), LambdaMethod::discrepancy);
    const LambdaCurve careful = careful_curve(medium);
    print_choice("careful", careful, LambdaMethod::gcv);
    print_best(careful);
    fmt::print("}}\n");
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

  LambdaCurve usual_curve(const LambdaSearchOptions& search) {
    cost_.restart();
    return weight_curve<float>(
        ctx_, problem_.model, [&](double weight) { return terms(weight); }, options_, problem_.b, problem_.data,
        search);
  }

  // From the largest weight down: an image, and that of the data with a tenth of the noise more.
  LambdaCurve careful_curve(double medium) {
    cost_.restart();
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
    tight.iterations = 200;
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
      RegularizedStart<float> from = bench::copy_of(ctx_, start);
      solve(point.lambda, right, tight, other, &from);
      axpby<float>(ctx_, -1, x, 1, other);
      point.freedom = problem_.model.eigenvalue * dot<float>(ctx_, of_noise, other).real() / size;
      point.penalty = 1;
      curve.points.insert(curve.points.begin(), point);
    }
    return curve;
  }

  void print_best(const LambdaCurve& curve) {
    double weight = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const LambdaPoint& point : curve.points) {
      const double error = error_of(point.lambda);
      if (error < least) {
        least = error;
        weight = point.lambda;
      }
    }
    fmt::print(R"(, "best": {{"weight": {:.3e}, "error": {:.5f}}})", weight, least);
  }

  // The error of the image of a weight, as a user's solve makes it.
  double error_of(double weight) {
    Array<Complex> x = zeros<Complex>(ctx_, problem_.b.shape());
    solve(weight, problem_.b, options_, x, nullptr);
    axpby<float>(ctx_, -1, truth_, 1, x);
    return norm<float>(ctx_, x) / norm<float>(ctx_, truth_);
  }

  // null where the method finds no weight, as where no residual is like the noise.
  void print_choice(const char* name, const LambdaCurve& curve, LambdaMethod method) {
    const std::string cost = cost_.text();
    double weight = 0;
    try {
      weight = choose_lambda(curve, method).lambda;
    } catch (const ValueError&) {
      fmt::print(R"(, "{}": null)", name);
      return;
    }
    fmt::print(R"(, "{}": {{"weight": {:.3e}, {}, "weights": {}, "error": {:.5f}}})", name, weight, cost,
               curve.points.size(), error_of(weight));
  }

  const Context& ctx_;
  const bench::PenaltyProblem& what_;
  bench::Applications applications_;
  bench::PreparedPenaltyProblem problem_;
  Array<Complex> truth_;
  RegularizedOptions options_;
  bench::Cost cost_{applications_};
};

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  try {
    const Context ctx({.threads = 1});
    for (const bench::PenaltyProblem& what : bench::noise_problems()) {
      if (what.name.find(part) != std::string::npos) Choices(ctx, what).print();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "whorl_weight_choices: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
