// Properties that every proximal function has, over one list: the definition of the proximal point against a search for a
// better one, Moreau's identity with a conjugate that is known apart, and the same result for any number of threads. To
// add a function, add a line to `cases`.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/wavelet.hpp"
#include "whorl/prox/box.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/prox/l2_ball.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/prox/low_rank.hpp"
#include "whorl/prox/total_variation.hpp"
#include "whorl/prox/wavelet_l1.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Host = Array<Complex>;

// A function with its value by another path: on the host, from its definition.
struct Case {
  std::string name;
  std::function<std::shared_ptr<const ProximalFunction<double>>(const Context&)> make;
  std::function<double(const Host& x)> value;
};

double sum_of_magnitudes(const Host& x) {
  double sum = 0;
  for (const Complex value : x.span()) sum += std::abs(value);
  return sum;
}

double sum_of_joint_magnitudes(const Host& x) {
  const Index members = x.extent(0);
  const Index count = x.size() / members;
  double sum = 0;
  for (Index r = 0; r < count; ++r) {
    double energy = 0;
    for (Index m = 0; m < members; ++m) energy += std::norm(x.data()[m * count + r]);
    sum += std::sqrt(energy);
  }
  return sum;
}

// By the operator's coefficients: test/unit/op/test_wavelet.cpp holds them to the definition.
double sum_of_coefficients(const Host& x, const WaveletL1Options& options) {
  const Context host;
  const Wavelet<double> wavelet(x.shape(), options.wavelet);
  Host c(host, x.shape());
  wavelet.forward(host, x, c);
  const auto [frames, nz, ny, nx] = wavelet.extent();
  const auto box = options.approximation ? std::array<Index, 3>{} : wavelet.approximation();
  double sum = 0;
  for (Index r = 0; r < nz * ny * nx; ++r) {
    if (r / nx / ny < box[0] && r / nx % ny < box[1] && r % nx < box[2]) continue;
    double energy = 0;
    for (Index f = 0; f < frames; ++f) {
      const double square = std::norm(c.data()[f * nz * ny * nx + r]);
      energy += square;
      if (!options.joint) sum += std::sqrt(square);
    }
    if (options.joint) sum += std::sqrt(energy);
  }
  return sum;
}

// Singular values by Eigen's Jacobi method on the matrices themselves.
double sum_of_singular_values(const Host& x, Index patch) {
  const Index images = x.extent(0);
  const Index ny = x.extent(-2);
  const Index nx = x.extent(-1);
  double sum = 0;
  for (Index y0 = 0; y0 < ny; y0 += patch) {
    for (Index x0 = 0; x0 < nx; x0 += patch) {
      const Index rows = std::min(patch, ny - y0);
      const Index columns = std::min(patch, nx - x0);
      Eigen::MatrixXcd matrix(rows * columns, images);
      for (Index t = 0; t < images; ++t) {
        for (Index r = 0; r < rows * columns; ++r) {
          matrix(r, t) = x.data()[(t * ny + y0 + r / columns) * nx + x0 + r % columns];
        }
      }
      sum += test::singular_values(matrix).sum();
    }
  }
  return sum;
}

std::vector<Case> norms() {
  const Shape image{5, 7};
  const Shape series{3, 1, 9, 7};
  const Shape volume{2, 6, 5, 9};
  std::vector<Case> all{{"l1", [=](const Context&) { return std::make_shared<L1<double>>(image); }, sum_of_magnitudes},
                        {"joint l1", [=](const Context&) { return std::make_shared<L1<double>>(series, true); },
                         sum_of_joint_magnitudes}};
  for (const WaveletL1Options& options : {WaveletL1Options{{.taps = 2}}, WaveletL1Options{{.taps = 8, .levels = 2}},
                                          WaveletL1Options{{.taps = 4, .levels = 2}, true},
                                          WaveletL1Options{.wavelet = {.taps = 4}, .approximation = true}}) {
    for (const Shape& shape : {series, volume}) {
      all.push_back({"wavelet l1", [=](const Context&) { return std::make_shared<WaveletL1<double>>(shape, options); },
                     [=](const Host& x) { return sum_of_coefficients(x, options); }});
    }
  }
  // More rows than columns, fewer rows, and patches that are cut off.
  for (const auto& [shape, patch] : {std::pair{Shape{3, 8, 8}, 4}, std::pair{Shape{11, 5, 7}, 3}}) {
    all.push_back({"locally low rank",
                   [shape = shape, patch = patch](const Context&) {
                     return std::make_shared<LocallyLowRank<double>>(shape, LocallyLowRankOptions{.patch = patch});
                   },
                   [patch = patch](const Host& x) { return sum_of_singular_values(x, patch); }});
  }
  // One patch, with more rows than columns and with fewer.
  for (const Shape& of : {Shape{3, 1, 9, 7}, Shape{30, 1, 4, 5}}) {
    all.push_back({"low rank", [=](const Context&) { return std::make_shared<LowRank<double>>(of); },
                   [](const Host& x) { return sum_of_singular_values(x, 9); }});
  }
  return all;
}

double half_distance(const Host& a, const Host& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.span().size(); ++i) sum += std::norm(a.span()[i] - b.span()[i]);
  return 0.5 * sum;
}

// F(z) = t g(z) + |z - x|^2 / 2 is strongly convex: F(z) >= F(p) + |z - p|^2 / 2 for its minimizer p and all z, and for
// no other p: at z = minimizer the inequality would fail. A search over many z, near and far, in random directions and
// towards 0 and x, is a brute-force minimizer that has to find nothing better.
void expect_minimizer(const std::function<double(const Host&)>& g, double t, const Host& x, const Host& p) {
  const Context host;
  const double at_p = t * g(p) + half_distance(p, x);
  const auto expect_no_better = [&](const Host& z) {
    const double at_z = t * g(z) + half_distance(z, x);
    // Rounding of sums of some hundred terms in double, 1e-13 of their size.
    EXPECT_GE(at_z, at_p + half_distance(z, p) - 1e-12 * (1 + at_p));
  };
  for (const double size : {1.0, 0.1, 1e-2, 1e-3, 1e-4}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Host z = test::random_array<double>(host, x.shape(), 100 + seed);
      axpby<double>(host, 1, p, size, z);
      expect_no_better(z);
    }
    for (const double towards_x : {-size, size}) {
      Host z = clone<Complex>(host, p);
      axpby<double>(host, towards_x, x, 1 - towards_x, z);
      expect_no_better(z);
      axpby<double>(host, towards_x, p, 1, z);
      expect_no_better(z);
    }
  }
}

TEST(ProximalFunctions, GiveTheMinimizerOfTheirDefinition) {
  const Context ctx = test::device_context();
  for (const Case& one : norms()) {
    SCOPED_TRACE(one.name);
    const auto g = one.make(ctx);
    for (const double t : {0.1, 1.0}) {
      const Host x = to_host<Complex>(ctx, test::random_array<double>(ctx, g->domain(), 7));
      EXPECT_NEAR(g->value(ctx, test::random_array<double>(ctx, g->domain(), 7)), one.value(x), 1e-9 * one.value(x));
      auto p = test::random_array<double>(ctx, g->domain(), 7);
      g->prox(ctx, t, p);
      expect_minimizer(one.value, t, x, to_host<Complex>(ctx, p));
    }
  }
}

// The value that comes with the point is that of the point.
TEST(ProximalFunctions, GiveTheValueOfTheirPoint) {
  const Context ctx = test::device_context();
  for (const Case& one : norms()) {
    SCOPED_TRACE(one.name);
    const auto g = one.make(ctx);
    auto p = test::random_array<double>(ctx, g->domain(), 7);
    const double value = g->prox_and_value(ctx, 0.4, p);
    const double expected = one.value(to_host<Complex>(ctx, p.ref()));
    EXPECT_GT(expected, 0);
    // Low rank: the roots of eigenvalues that have become 0 count some 1e-8 each.
    EXPECT_NEAR(value, expected, 1e-6 * expected);
  }
}

// The conjugate of weight * norm is 0 on the ball of the dual norm: its proximal operator is a projection, so that it does
// not depend on the step, and gives what it is given where that is in the ball. By Fenchel's equality, y - p is where
// weight * g(y - p) = Re <p, y - p>.
TEST(ProximalFunctions, SatisfyMoreausIdentity) {
  const Context ctx = test::device_context();
  constexpr double weight = 0.7;
  for (const Case& one : norms()) {
    SCOPED_TRACE(one.name);
    const auto g = one.make(ctx);
    const auto y = test::random_array<double>(ctx, g->domain(), 8);
    auto p = test::random_array<double>(ctx, g->domain(), 8);
    g->dual_prox(ctx, 0.3, p, weight);
    auto again = clone<Complex>(ctx, p.ref());
    g->dual_prox(ctx, 5, again, weight);
    EXPECT_LT(test::relative_error(ctx, again, p), 1e-10) << "projection";
    auto other = test::random_array<double>(ctx, g->domain(), 8);
    g->dual_prox(ctx, 5, other, weight);
    EXPECT_LT(test::relative_error(ctx, other, p), 1e-10) << "step";
    auto rest = clone<Complex>(ctx, y.ref());
    axpby<double>(ctx, -1, p, 1, rest);
    EXPECT_GT(norm<double>(ctx, rest), 0.1);
    const double value = weight * one.value(to_host<Complex>(ctx, rest.ref()));
    EXPECT_NEAR(dot<double>(ctx, p, rest).real(), value, 1e-9 * value) << "Fenchel";
  }
}

// The step of a dual variable is Moreau's identity, and its value that of x or of the point it comes to.
TEST(ProximalFunctions, StepTheirDualVariable) {
  const Context ctx = test::device_context();
  constexpr double weight = 0.7;
  constexpr double step = 0.3;
  for (const Case& one : norms()) {
    SCOPED_TRACE(one.name);
    const auto g = one.make(ctx);
    const auto x = test::random_array<double>(ctx, g->domain(), 7);
    auto y = test::random_array<double>(ctx, g->domain(), 8);
    auto expected = clone<Complex>(ctx, y.ref());
    auto change = clone<Complex>(ctx, y.ref());
    axpby<double>(ctx, step, x, 1, expected);
    g->dual_prox(ctx, step, expected, weight);
    const DualStepSums sums = g->dual_step(ctx, step, x, y, weight);
    EXPECT_LT(test::relative_error(ctx, y, expected), 1e-12);
    axpby<double>(ctx, 1, y, -1, change);
    EXPECT_NEAR(sums.change, dot<double>(ctx, change, change).real(), 1e-12 * sums.change);
    // z = x - (new y - old y) / step
    auto z = clone<Complex>(ctx, x.ref());
    axpby<double>(ctx, -1 / step, change, 1, z);
    const double at_x = weight * one.value(to_host<Complex>(ctx, x.ref()));
    const double at_z = weight * one.value(to_host<Complex>(ctx, z.ref()));
    EXPECT_GT(std::abs(at_x - at_z), 1e-2 * at_x);
    // Singular values that became 0 are roots of rounding, 1e-8 each.
    const bool one_of_both = std::abs(sums.value - at_x) < 1e-9 * at_x || std::abs(sums.value - at_z) < 1e-6 * at_x;
    EXPECT_TRUE(one_of_both) << sums.value << " " << at_x << " " << at_z;
  }
}

// Total variation has no proximal operator of its own. Its dual step is a projected step, so that the point it converges
// to is the minimizer of the definition: p = x - D^H y with y of the dual problem.
TEST(ProximalFunctions, TotalVariationByItsDual) {
  const Context ctx = test::device_context();
  const Shape shape{2, 3, 4, 5};
  constexpr DifferenceAxes image{false, false, true, true};
  constexpr DifferenceAxes frames{true, false, false, false};
  constexpr DifferenceAxes all{true, true, true, true};
  for (const auto& [axes, cyclic] :
       {std::pair{image, DifferenceAxes{}}, std::pair{DifferenceAxes{false, true, true, true}, DifferenceAxes{}},
        std::pair{frames, DifferenceAxes{}}, std::pair{all, DifferenceAxes{}}, std::pair{image, image},
        std::pair{all, DifferenceAxes{true, false, true, false}}, std::pair{all, all}}) {
    constexpr double weight = 0.4;
    const TotalVariation<double> tv(shape, axes, weight, cyclic);
    const auto value = [&, along = axes.flags(), around = cyclic.flags()](const Host& z) {
      double sum = 0;
      const std::array<Index, 4> step{60, 20, 5, 1};
      for (Index r = 0; r < z.size(); ++r) {
        const std::array<Index, 4> at{r / 60, r / 20 % 3, r / 5 % 4, r % 5};
        double energy = 0;
        for (std::size_t a = 0; a < 4; ++a) {
          const Index extent = shape[static_cast<int>(a)];
          if (!along[a] || (at[a] + 1 == extent && !around[a])) continue;
          const Index next = r + ((at[a] + 1) % extent - at[a]) * step[a];
          energy += std::norm(z.data()[next] - z.data()[r]);
        }
        sum += std::sqrt(energy);
      }
      return weight * sum;
    };
    const auto x = test::random_array<double>(ctx, shape, 7);
    EXPECT_NEAR(tv.value(ctx, x), value(to_host<Complex>(ctx, x.ref())), 1e-10);
    auto y = zeros<Complex>(ctx, tv.range());
    auto p = clone<Complex>(ctx, x.ref());
    for (int step = 0; step < 10000; ++step) {
      tv.dual_step(ctx, 1, p, {}, y);
      copy<Complex>(ctx, x, p);
      axpby<double>(ctx, -1, p, 0, p);
      tv.add_adjoint(ctx, y, p, {});
      axpby<double>(ctx, -1, p, 0, p);
    }
    const DualStepSums sums = tv.dual_step(ctx, 1, p, {}, y);
    EXPECT_NEAR(sums.value, value(to_host<Complex>(ctx, p.ref())), 1e-10);
    expect_minimizer(value, 1, to_host<Complex>(ctx, x.ref()), to_host<Complex>(ctx, p.ref()));
  }
}

// Projections: the point is in the set, and no random point of the set is nearer.
TEST(ProximalFunctions, ProjectOntoTheirSets) {
  const Context ctx = test::device_context();
  const Context host;
  const Shape shape{4, 6};
  const auto x_here = test::random_array<double>(ctx, shape, 3);
  const Host x = to_host<Complex>(ctx, x_here.ref());
  const auto center = [&] { return test::random_array<double>(ctx, shape, 4); };
  const auto near_here = center();
  const Host near = to_host<Complex>(ctx, near_here.ref());
  const auto project = [&](const ProximalFunction<double>& g) {
    auto p = clone<Complex>(ctx, x.ref());
    g.prox(ctx, 0.7, p);
    EXPECT_TRUE(g.is_constraint());
    return to_host<Complex>(ctx, p.ref());
  };
  const Host in_box = project(Box<double>(shape, -0.2, 0.5));
  const Host positive = project(Box<double>(shape, 0));
  const Host in_ball = project(L2Ball<double>(center(), 1.5));
  for (std::size_t i = 0; i < x.span().size(); ++i) {
    EXPECT_EQ(in_box.span()[i], Complex(std::min(std::max(x.span()[i].real(), -0.2), 0.5)));
    EXPECT_EQ(positive.span()[i], Complex(std::max(x.span()[i].real(), 0.0)));
  }
  EXPECT_NEAR(2 * half_distance(in_ball, near), 1.5 * 1.5, 1e-12);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Host other = test::random_array<double>(host, shape, 50 + seed);
    axpby<double>(host, 1, near, 1.5 / norm<double>(host, other), other);
    EXPECT_GE(half_distance(other, x), half_distance(in_ball, x));
  }
}

// Versions with random shifts are alike but for the shift, and passes with one number are the same.
TEST(ProximalFunctions, ShiftsDifferFromPassToPass) {
  const Context ctx = test::device_context();
  const WaveletL1<double> wavelet({3, 1, 16, 18}, {{.taps = 4}});
  const LocallyLowRank<double> low_rank({3, 16, 18}, {.patch = 4});
  for (const ProximalFunction<double>* g : {static_cast<const ProximalFunction<double>*>(&wavelet),
                                            static_cast<const ProximalFunction<double>*>(&low_rank)}) {
    const auto at_pass = [&](Index pass) {
      auto p = test::random_array<double>(ctx, g->domain(), 7);
      g->prox(ctx, 0.8, p, pass);
      return p;
    };
    EXPECT_GT(test::relative_error(ctx, at_pass(1), at_pass(2)), 1e-3);
    EXPECT_EQ(test::relative_error(ctx, at_pass(5), at_pass(5)), 0);
    EXPECT_NEAR(norm<double>(ctx, at_pass(1)), norm<double>(ctx, at_pass(2)), 0.1 * norm<double>(ctx, at_pass(2)));
  }
}

TEST(ProximalFunctions, AreTheSameForAnyNumberOfThreads) {
  const Context ctx = test::device_context(1);
  const Context many = test::device_context(5);
  for (const Case& one : norms()) {
    SCOPED_TRACE(one.name);
    const auto g = one.make(ctx);
    auto p = test::random_array<double>(ctx, g->domain(), 7);
    auto q = test::random_array<double>(many, g->domain(), 7);
    g->prox(ctx, 0.5, p, 3);
    ctx.synchronize();
    g->prox(many, 0.5, q, 3);
    many.synchronize();
    EXPECT_EQ(test::relative_error(ctx, p, q), 0);
  }
}

TEST(ProximalFunctions, RefuseWhatMakesNoSense) {
  const Context ctx = test::device_context();
  const L1<double> g({4, 5});
  auto x = test::random_array<double>(ctx, {5, 4}, 1);
  EXPECT_THROW(g.prox(ctx, 1, x), ShapeError);
  auto right = test::random_array<double>(ctx, {4, 5}, 1);
  EXPECT_THROW(g.prox(ctx, 0, right), ValueError);
  EXPECT_THROW(g.dual_prox(ctx, 1, right, -1), ValueError);
  EXPECT_THROW(Box<double>({4}, 1, 0), ValueError);
  EXPECT_THROW(L1<double>({4}, true), ShapeError);
  EXPECT_THROW(LocallyLowRank<double>({100, 32, 32}, {.patch = 9}), Unsupported);
  EXPECT_NO_THROW(LocallyLowRank<double>({100, 32, 32}, {.patch = 8}));
  EXPECT_THROW(LowRank<double>({4}), ShapeError);
  EXPECT_THROW(TotalVariation<double>({4, 5}, {}, 1), ValueError);
  EXPECT_THROW(TotalVariation<double>({4, 5}, {false, false, true, true}, 0), ValueError);
  EXPECT_THROW(TotalVariation<double>({4, 5}, {false, false, true, true}, 1, {true, false, false, false}), ValueError);
  EXPECT_THROW(WaveletL1<double>({8, 8}, {{.taps = 3}}), ValueError);
}

}  // namespace
}  // namespace whorl
