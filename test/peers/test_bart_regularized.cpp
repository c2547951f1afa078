// Regularized images against BART's, from the same data, trajectory and coil maps: the value of the function that both
// minimize, and the error of the image. Prints a table; times are CPU seconds, of whole processes for BART.
//
// BART 0.8 has the differences to the previous pixel, with wraparound, and wavelet filters in the other direction than
// whorl's. Both are whorl's of the mirrored image: whorl is given the mirrored scan, whose image BART's is mirrored to.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "peers/bart.hpp"
#include "support/compare.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/solver/primal_dual.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Measured {
  double cost = 0;
  double error = 0;    // against the truth, relative
  double seconds = 0;  // of a CPU
};

// Golden-angle spokes of a 64 x 64 head with 8 coils and noise, at a third of the Nyquist number.
class RegularizedAgainstBart : public testing::Test {
 protected:
  static constexpr Index n = 64;

  void SetUp() override {
    if (!test::bart_is_there())
      GTEST_SKIP() << "bart is not on the path (Debian: package bart): nothing to compare with";
    scan_ = make_scan(34, 0.03);
    maps_ = phantom_coil_maps<float>(ctx_, make_phantom_coils(ctx_, {n, n, 1}, 8));
    mirrored_maps_ = mirrored(maps_);
    const ScanFrame frame = mirrored(scan_.frames.front());
    data_ = clone<Complex>(ctx_, frame.data.ref());
    encoding_ = make_encoding(frame);
    eigenvalue_ = normal_eigenvalue<float>(ctx_, encoding_);
    b_ = Array<Complex>(ctx_, {n, n});
    encoding_.adjoint(ctx_, data_, b_);
    axpby<float>(ctx_, 1 / eigenvalue_, b_, 0, b_);
    unit_ = largest_magnitude<float>(ctx_, b_);
    // The truth as an image of these pixels: least squares of many samples without noise.
    const ScanFrame clean = mirrored(make_scan(150, 0).frames.front());
    const Operator<float> all = make_encoding(clean);
    truth_ = Array<Complex>(ctx_, {n, n});
    least_squares<float>(ctx_, "truth", {all, normal_eigenvalue<float>(ctx_, all)}, clean.data,
                         {.iterations = 60, .tolerance = 1e-6, .lambda = 1e-6}, truth_);
  }

  Operator<float> make_encoding(const ScanFrame& frame) {
    const Nufft<float> nufft(ctx_, frame.trajectory->points, {n, n}, 8, {.tolerance = 1e-5});
    return SenseNufft<float>(nufft, mirrored_maps_.share());
  }

  // Images [..., y, x] with pixel r of each axis at n - 1 - r.
  Array<Complex> mirrored(ArrayRef<const Complex> images) const {
    Array<Complex> result(ctx_, images.shape());
    for (Index first = 0; first < images.size(); first += n * n) {
      std::reverse_copy(images.data() + first, images.data() + first + n * n, result.data() + first);
    }
    return result;
  }

  // Frame of the mirrored object: places p = r - n/2 become -p - 1, so that d(k) = exp(2 pi i (k_x + k_y)) d'(-k).
  ScanFrame mirrored(const ScanFrame& frame) const {
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = clone<double>(ctx_, frame.trajectory->points.ref());
    const Index samples = frame.trajectory->samples();
    const auto k = frame.trajectory->points.view<2>();
    Array<Complex> data = clone<Complex>(ctx_, frame.data.ref());
    for (Index i = 0; i < data.size(); ++i) {
      const Index j = i % samples;
      data.data()[i] *= Complex(std::polar(1.0, -2 * std::numbers::pi * (k(j, 0) + k(j, 1))));
    }
    for (double& place : trajectory->points.span()) place = -place;
    return {frame.index, trajectory, {}, std::move(data), {}};
  }

  static Scan make_scan(Index spokes, double noise) {
    const Context ctx({.threads = 2});
    return test::make_phantom_scan(
        ctx, std::make_shared<Trajectory>(radial_trajectory(ctx, spokes, 2 * n, SpokeOrder::golden_angle)), {n, n, 1},
        {.coils = 8, .noise_standard_deviation = noise});
  }

  // |A x - d|^2 / (2 s) + the terms, in double for sums.
  Measured measure(ArrayRef<const Complex> image, const std::vector<Regularizer>& regularizers) const {
    Measured result;
    Array<Complex> samples(ctx_, encoding_.range());
    encoding_.forward(ctx_, image, samples);
    axpby<float>(ctx_, -1, data_, 1, samples);
    result.cost = std::pow(norm<float>(ctx_, samples), 2) / (2 * eigenvalue_);
    const Shape series{1, 1, n, n};
    for (const auto& term : make_penalties<float>(series, regularizers, unit_)) {
      // Wavelets are the only function among them.
      result.cost += term.weighted() != nullptr ? term.weighted()->weight * mean_of_wavelets(image)
                     : term.unknowns() > 0      ? least_value(*term.infimal(), image.reshape(series))
                                                : term.infimal()->value(ctx_, image.reshape(series), {});
    }
    result.error = test::relative_error(clone<Complex>(ctx_, image), truth_);
    return result;
  }

  // By BART, of some of the turns by 0 to 32 pixels along each axis from which it draws one in each iteration.
  double mean_of_wavelets(ArrayRef<const Complex> image) const {
    constexpr Index turns = 8;
    const test::Bart bart = make_bart();
    const Array<Complex> given = mirrored(image);
    double sum = 0;
    for (Index turn = 0; turn < turns; ++turn) {
      std::vector<Complex> turned(static_cast<std::size_t>(n * n));
      for (Index r = 0; r < n * n; ++r) {
        const Index y = (r / n + (5 * turn + 2) % 33) % n;
        const Index x = (r % n + (11 * turn + 7) % 33) % n;
        turned[static_cast<std::size_t>(y * n + x)] = given.data()[r];
      }
      sum += bart.sum_of_wavelets(turned);
    }
    return sum / static_cast<double>(turns);
  }

  // The least h(W (x, w)) over w, for an image that is given.
  double least_value(const InfimalFunction<float>& g, ArrayRef<const Complex> x) const {
    Array<Complex> w = zeros<Complex>(ctx_, g.auxiliary());
    Array<Complex> b = zeros<Complex>(ctx_, g.auxiliary());
    const DualTerm<float> term{
        .range = g.range(),
        .norm = g.norm(),
        .step =
            [&](const Context& c, double sigma, Index, ArrayRef<const Complex> at, ArrayRef<Complex> y) {
              const DualStepSums sums = g.dual_step(c, sigma, x, at, y);
              return DualTerm<float>::Sums{sums.value, sums.change};
            },
        .add_adjoint =
            [&](const Context& c, ArrayRef<const Complex> y, ArrayRef<Complex> sum) {
              Array<Complex> of_x(c, g.domain());
              g.add_adjoint(c, y, of_x, sum);
            },
        .add_normal = nullptr};
    const QuadraticFunction<float> none{
        .H = [](const Context& c, ArrayRef<const Complex>, ArrayRef<Complex> q) { fill<Complex>(c, q, 0); },
        .b = b,
        .largest = 1e-6};
    const SolverReport report = primal_dual<float>(ctx_, none, {term}, w, PrimalDualOptions{{1500, 0}, unit_});
    return *std::min_element(report.costs.begin(), report.costs.end());
  }

  Measured by_whorl(const std::vector<Regularizer>& regularizers, const RegularizedOptions& options,
                    std::string& note) const {
    Array<Complex> image = zeros<Complex>(ctx_, {n, n});
    const double start = cpu_seconds(RUSAGE_SELF);
    const SolverReport report = regularized_least_squares<float>(
        ctx_, "whorl", {encoding_, eigenvalue_, {}}, make_penalties<float>({1, 1, n, n}, regularizers, unit_), options,
        b_, 0, image);
    const double seconds = cpu_seconds(RUSAGE_SELF) - start;
    note = fmt::format("{} iterations, {} applications", report.iterations, report.operator_applications);
    Measured result = measure(image, regularizers);
    result.seconds = seconds;
    return result;
  }

  test::Bart make_bart() const {
    const ScanFrame& frame = scan_.frames.front();
    const std::vector<float> ones(static_cast<std::size_t>(frame.trajectory->samples()), 1);
    return {scan_, frame, ArrayRef<const float>(ones.data(), {frame.trajectory->samples()})};
  }

  Measured by_bart(const std::string& options, const std::vector<Regularizer>& regularizers) const {
    const test::Bart bart = make_bart();
    const double start = cpu_seconds(RUSAGE_CHILDREN);
    const std::vector<Complex> image = bart.pics_with(options, maps_);
    const double seconds = cpu_seconds(RUSAGE_CHILDREN) - start;
    const Array<Complex> ours = mirrored(ArrayRef<const Complex>(image.data(), {n, n}));
    Measured result = measure(ours, regularizers);
    result.seconds = seconds;
    return result;
  }

  // The weight of a term in BART's function, |A x - d|^2 / 2 + weight g(x).
  double bart_weight(double weight) const { return weight * unit_ * eigenvalue_; }

  static void print(const std::string& who, const Measured& what) {
    std::printf("| %s | %.6g | %.3f %% | %.2f |\n", who.c_str(), what.cost, 100 * what.error, what.seconds);
  }

  // Residuals small enough that whorl's solvers are nearer to the minimum than BART's 300 iterations.
  void check_total_variation(const std::vector<double>& weights, const std::vector<int>& counts) {
    for (const double weight : weights) {
      const std::vector<Regularizer> tv{{.kind = RegularizerKind::tv, .weight = weight, .cyclic = "xy"}};
      std::printf("\n| tv:%g | cost | error | CPU s |\n|---|---|---|---|\n", weight);
      double least = 1e300;
      double bart_error = 1;
      for (const int iterations : counts) {
        const Measured bart = by_bart(fmt::format("-R T:3:0:{} -i {}", bart_weight(weight), iterations), tv);
        print(fmt::format("bart, {} iterations", iterations), bart);
        least = std::min(least, bart.cost);
        bart_error = std::min(bart_error, bart.error);
      }
      for (const RegularizedSolver solver : {RegularizedSolver::admm, RegularizedSolver::primal_dual}) {
        std::string note;
        const Measured ours = by_whorl(tv, {.iterations = 1000, .tolerance = 3e-5, .solver = solver}, note);
        print(to_string(solver) + ", " + note, ours);
        EXPECT_LE(ours.cost, least);
        EXPECT_LE(ours.error, 1.02 * bart_error);
      }
    }
  }

  // BART's total generalized variation is the same function with a ratio of 2; with 32768 among its flags its vectors are those
  // of pixels. Its w is not in its result: for both images it is the best one.
  void check_generalized_variation(const std::vector<double>& weights) {
    for (const double weight : weights) {
      const std::vector<Regularizer> tgv{{.kind = RegularizerKind::tgv, .weight = weight, .cyclic = "xy"}};
      std::printf("\n| tgv:%g | cost | error | CPU s |\n|---|---|---|---|\n", weight);
      const Measured bart = by_bart(fmt::format("-R G:3:32768:{} -i 300", bart_weight(weight)), tgv);
      print("bart, 300 iterations", bart);
      std::string note;
      const Measured ours =
          by_whorl(tgv, {.iterations = 300, .tolerance = 3e-5, .solver = RegularizedSolver::admm}, note);
      print("admm, " + note, ours);
      EXPECT_LE(ours.cost, bart.cost);
      EXPECT_LE(ours.error, 1.02 * bart.error);
    }
  }

  // BART's function counts all coefficients of four levels. Beyond its border the image goes on as its mirror image, where
  // whorl's is periodic; both turn the image around by other numbers of pixels in each iteration. The value of either image is
  // by `bart wavelet`, the mean over such turns. Whorl minimizes the function with its own border, so that its value of
  // BART's is not the least one; this phantom is 0 at its border, and turns put that border elsewhere.
  void check_wavelets(const std::vector<double>& weights) {
    for (const double weight : weights) {
      const std::vector<Regularizer> wavelet{
          {.kind = RegularizerKind::wavelet, .weight = weight, .taps = 4, .levels = 4, .approximation = true}};
      std::printf("\n| wavelet:%g | cost | error | CPU s |\n|---|---|---|---|\n", weight);
      const Measured bart = by_bart(fmt::format("-e -R W:3:0:{} -i 300", bart_weight(weight)), wavelet);
      print("bart, 300 iterations", bart);
      for (const RegularizedSolver solver : {RegularizedSolver::fista, RegularizedSolver::admm}) {
        std::string note;
        const Measured ours = by_whorl(wavelet, {.iterations = 300, .tolerance = 1e-4, .solver = solver}, note);
        print(to_string(solver) + ", " + note, ours);
        EXPECT_LE(ours.cost, bart.cost);
        EXPECT_LE(ours.error, 1.02 * bart.error);
      }
    }
  }

  const Context ctx_{{.threads = 2}};
  Scan scan_;
  Array<Complex> maps_;
  Array<Complex> mirrored_maps_;
  Array<Complex> data_;
  Operator<float> encoding_;
  double eigenvalue_ = 0;
  double unit_ = 0;
  Array<Complex> b_;
  Array<Complex> truth_;
};

// One weight of those below, and BART's most iterations, with which it is closest to the minimum.
TEST_F(RegularizedAgainstBart, TotalVariation) { check_total_variation({0.003}, {300}); }
TEST_F(RegularizedAgainstBart, GeneralizedVariation) { check_generalized_variation({0.003}); }
TEST_F(RegularizedAgainstBart, Wavelets) { check_wavelets({0.003}); }

// More weights and iterations: minutes, so they run with --gtest_also_run_disabled_tests alone.
TEST_F(RegularizedAgainstBart, DISABLED_ManyWeights) {
  check_total_variation({0.001, 0.003, 0.01}, {30, 100, 300});
  check_generalized_variation({0.001, 0.003});
  check_wavelets({0.001, 0.003, 0.01});
}

}  // namespace
}  // namespace whorl
