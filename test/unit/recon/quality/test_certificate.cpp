// The measured error of an encoding operator, against its error over all samples.
#include "whorl/recon/certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/exact_signal.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

// A mean of `count` draws, whose bound must be above the distribution's mean in 99 % of the cases.
constexpr int runs = 4000;
constexpr int most_misses = 40;

template <class Draw>
int misses(int count, double mean, const Draw& draw) {
  int missed = 0;
  std::vector<double> values(static_cast<std::size_t>(count));
  for (int run = 0; run < runs; ++run) {
    for (int i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(i)] = draw(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(i));
    }
    missed += mean_bound(values) < mean ? 1 : 0;
  }
  return missed;
}

// What squared errors look like: of normal numbers (4 coils, 1 coil), and of normal numbers whose size varies.
TEST(MeanBound, CoversTheMeanOfSquaresIn99Of100Cases) {
  const auto square = [](std::uint64_t run, std::uint64_t i) { return std::pow(random_normal(run, i), 2); };
  EXPECT_LE(misses(100, 1, square), most_misses);
  EXPECT_LE(misses(400, 1, square), most_misses);
  const auto exponential = [](std::uint64_t run, std::uint64_t i) { return -std::log(random_uniform(run, i)); };
  EXPECT_LE(misses(100, 1, exponential), most_misses);
  // exp(normal / 2) times a square: mean exp(1/8), skewness 9
  const auto mixed = [](std::uint64_t run, std::uint64_t i) {
    return std::exp(0.5 * random_normal(run + 10000, i)) * std::pow(random_normal(run, i), 2);
  };
  EXPECT_LE(misses(400, std::exp(0.125), mixed), most_misses);
}

TEST(MeanBound, IsTightAndOfWhatIsThere) {
  EXPECT_EQ(mean_bound(std::vector<double>(60, 3.5)), 3.5);
  // Squares of normal numbers: 2.8 standard errors, sqrt(2 / 10000) each, and little for the skewness.
  std::vector<double> squares(10000);
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = std::pow(random_normal(3, i), 2);
  EXPECT_GT(mean_bound(squares), 1);
  EXPECT_LT(mean_bound(squares), 1 + 2 * 2.8 * std::sqrt(2.0 / 10000));
}

struct Case {
  Operator<float> encoding;
  Array<std::complex<float>> maps;
  Array<std::complex<float>> image;
  ExponentialSignal signal;
  Trajectory trajectory;
  Array<double> times;
  double error = 0;  // over all samples
};

// A smooth object with a bright edge, two coils, and, where there is one, a field of +-60 Hz with a decay of up to 150/s.
Case make_case(const Context& ctx, Trajectory trajectory, double tolerance, bool in_field) {
  const Shape shape{24, 20};
  Case made;
  made.trajectory = std::move(trajectory);
  made.maps = test::random_array<float>(ctx, shape.with_front(2), 4);
  made.image = Array<std::complex<float>>(ctx, shape);
  Array<float> hertz(ctx, shape);
  Array<float> decay(ctx, shape);
  for (Index y = 0; y < 24; ++y) {
    for (Index x = 0; x < 20; ++x) {
      const double r = std::hypot(double(x - 10) / 8, double(y - 12) / 10);
      made.image.view<2>()(y, x) = r < 0.8 ? 1.0F : r < 1 ? 4.0F : 0.0F;
      hertz.view<2>()(y, x) = static_cast<float>(60 * std::sin(0.3 * double(x)) * std::cos(0.2 * double(y)));
      decay.view<2>()(y, x) = static_cast<float>(75 + 75 * std::sin(0.5 * double(x + y)));
    }
  }
  const auto& points = made.trajectory.points;
  made.times = Array<double>(ctx, {points.extent(0)});
  for (Index j = 0; j < made.times.size(); ++j) {
    made.times.data()[j] = 1e-5 * static_cast<double>(j % made.trajectory.readout_length);
  }
  const Nufft<float> nufft(ctx, points, shape, 2, {.tolerance = tolerance});
  Operator<float> encoding = SenseNufft<float>(nufft, clone(ctx, made.maps.ref()));
  if (in_field) {
    made.signal = exponential_signal(ctx, decay, hertz);
    encoding = SignalEvolution<float>(encoding, evolution_factors<float>(ctx, made.signal, made.times, tolerance));
  }
  made.encoding = encoding;
  Array<std::complex<float>> predicted(ctx, encoding.range());
  encoding.forward(ctx, made.image, predicted);
  Array<std::complex<double>> maps(ctx, made.maps.shape());
  std::copy(made.maps.span().begin(), made.maps.span().end(), maps.span().begin());
  Array<std::complex<double>> image(ctx, shape);
  std::copy(made.image.span().begin(), made.image.span().end(), image.span().begin());
  made.error = test::relative_error(predicted, exact_signal(ctx, maps, image, made.signal, points, made.times));
  return made;
}

// 250 seeds on each of four operators; of 1000 runs 10 may miss.
TEST(Certificate, CoversTheTrueErrorIn99Of100Cases) {
  const Context ctx;
  const Context few({.threads = 1});
  std::vector<Case> cases;
  cases.push_back(make_case(ctx, radial_trajectory(ctx, 40, 48, SpokeOrder::golden_angle), 1e-3, false));
  cases.push_back(make_case(ctx, spiral_trajectory(ctx, 6, 300, 4), 1e-3, true));
  cases.push_back(make_case(ctx, spiral_trajectory(ctx, 6, 300, 4), 1e-5, false));
  cases.push_back(make_case(ctx, radial_trajectory(ctx, 30, 60, SpokeOrder::uniform), 1e-2, true));
  int missed = 0;
  double spread = 0;
  for (const Case& what : cases) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      const Certificate found =
          certify(few, what.encoding, what.maps, what.image, what.signal, what.trajectory.points, what.times, 60, seed);
      missed += found.bound < what.error ? 1 : 0;
      spread = std::max(spread, std::abs(found.relative_error / what.error - 1));
    }
  }
  std::printf("the bound held in %d of 1000 runs\n", 1000 - missed);
  EXPECT_LE(missed, 10);
  // 60 draws of squared errors, each spread by their mean or so: 1/sqrt(60) / 2 of the root, 4 standard deviations
  EXPECT_LT(spread, 0.5);
}

TEST(Certificate, FindsAnOperatorThatIsWrong) {
  const Context ctx;
  Case what = make_case(ctx, spiral_trajectory(ctx, 6, 300, 4), 1e-4, true);
  const auto certificate = [&](const ExponentialSignal& signal) {
    return certify(ctx, what.encoding, what.maps, what.image, signal, what.trajectory.points, what.times, 100);
  };
  EXPECT_LT(certificate(what.signal).bound, 1e-3);
  // The field's sign
  for (double& hertz : what.signal.off_resonance.span()) hertz = -hertz;
  EXPECT_GT(certificate(what.signal).relative_error, 0.1);
  EXPECT_THROW(certify(ctx, what.encoding, what.maps, what.image, what.signal, what.trajectory.points, what.times, 49),
               ValueError);
}

}  // namespace
}  // namespace whorl
