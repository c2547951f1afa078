// What error bars of some replicas take, and how far they are from those of more solves that go on to a tight tolerance. One JSON
// object a line.
//
//   whorl_error_bars REPLICAS [part of a problem's name]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/penalties/problems.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/regularized_noise.hpp"

namespace {

using namespace whorl;
using Complex = std::complex<float>;

constexpr int most_replicas = 64;

class Bars {
 public:
  Bars(const Context& ctx, const bench::PenaltyProblem& what)
      : ctx_(ctx), what_(what), problem_(bench::prepare(ctx, what, applications_)) {
    options_.lambda = what.lambda;
    options_.iterations = 500;
    image_ = zeros<Complex>(ctx, problem_.b.shape());
  }

  void print(int replicas) {
    cost_.restart();
    solve(problem_.b, options_, image_, start_);
    fmt::print(R"({{"problem": "{}", "terms": "{}", "solve": {{{}}})", what_.name, what_.terms, cost_.text());
    cost_.restart();
    StandardDeviationOptions noise;
    noise.count = replicas;
    const StandardDeviation<float> bars = regularized_standard_deviation<float>(
        ctx_, "bars", problem_.model, problem_.penalties, options_, problem_.b, image_, start_, noise);
    fmt::print(R"(, "bars": {{"replicas": {}, {}, "iterations": {}, "statistical": {:.4f})", noise.count, cost_.text(),
               bars.iterations, bars.relative_error);
    cost_.restart();
    const std::vector<double> many = of_many();
    const std::string cost = cost_.text();
    print_distance(bars.values, many);
    fmt::print(R"(}}, "many": {{"replicas": {}, {}}}}})", most_replicas, cost);
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  void solve(ArrayRef<const Complex> b, const RegularizedOptions& options, ArrayRef<Complex> x,
             RegularizedStart<float>& start) {
    regularized_least_squares<float>(ctx_, "solve", problem_.model, problem_.penalties, options, b, 0, x, &start);
  }

  // The root of the variance of images with other noise, from solves to a tight tolerance.
  std::vector<double> of_many() {
    RegularizedOptions tight = options_;
    tight.tolerance = 1e-6;
    tight.iterations = 200;
    tight.nearby = true;
    const auto voxels = static_cast<std::size_t>(image_.size());
    std::vector<std::complex<double>> sums(voxels);
    std::vector<double> squares(voxels);
    Array<Complex> noise(ctx_, problem_.data.shape());
    Array<Complex> right(ctx_, problem_.b.shape());
    for (int r = 0; r < most_replicas; ++r) {
      fill_random_normal<float>(ctx_, noise, 1000 + static_cast<std::uint64_t>(r));
      problem_.model.encoding->adjoint(ctx_, noise, right);
      axpby<float>(ctx_, 1, problem_.b, 1 / problem_.model.eigenvalue, right);
      Array<Complex> x = clone<const Complex>(ctx_, image_);
      RegularizedStart<float> from = bench::copy_of(ctx_, start_);
      solve(right, tight, x, from);
      for (std::size_t i = 0; i < voxels; ++i) {
        const std::complex<double> difference(x.span()[i] - image_.span()[i]);
        sums[i] += difference;
        squares[i] += std::norm(difference);
      }
    }
    for (std::size_t i = 0; i < voxels; ++i) {
      squares[i] = std::sqrt(std::max(squares[i] - std::norm(sums[i]) / most_replicas, 0.0) / (most_replicas - 1));
    }
    return squares;
  }

  // Over the voxels of the object.
  void print_distance(const Array<float>& bars, const std::vector<double>& many) const {
    const double largest = largest_magnitude<float>(ctx_, image_);
    double difference = 0;
    double size = 0;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < many.size(); ++i) {
      if (std::abs(image_.span()[i]) < 0.1 * largest) continue;
      difference += std::pow(bars.span()[i] - many[i], 2);
      size += std::pow(many[i], 2);
      ratios.push_back(bars.span()[i] / many[i]);
    }
    if (ratios.empty()) throw ValueError("the image is zero");
    const auto middle = ratios.begin() + std::ssize(ratios) / 2;
    std::nth_element(ratios.begin(), middle, ratios.end());
    fmt::print(R"(, "l2": {:.4f}, "median": {:.4f})", std::sqrt(difference / size), *middle);
  }

  const Context& ctx_;
  const bench::PenaltyProblem& what_;
  bench::Applications applications_;
  bench::PreparedPenaltyProblem problem_;
  RegularizedOptions options_;
  Array<Complex> image_;
  RegularizedStart<float> start_;
  bench::Cost cost_{applications_};
};

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 2 ? argv[2] : "";
  try {
    if (argc < 2) throw ValueError("expected the number of replicas, such as 100");
    const int replicas = std::stoi(argv[1]);
    const Context ctx({.threads = 1});
    for (const bench::PenaltyProblem& what : bench::noise_problems()) {
      if (what.name.find(part) != std::string::npos) Bars(ctx, what).print(replicas);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "whorl_error_bars: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
