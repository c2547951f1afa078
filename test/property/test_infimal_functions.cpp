// Properties of functions that are minima over further unknowns: their operators, and the point prox_g(x), which comes
// from ADMM here, held to the definition on the host and to Fenchel's equality.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/prox/generalized_variation.hpp"
#include "whorl/prox/infimal_variation.hpp"
#include "whorl/prox/low_rank_sparse.hpp"
#include "whorl/prox/total_variation.hpp"
#include "whorl/solver/admm.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Host = Array<Complex>;

// The indices of a series, and its differences by their definition.
class Series {
 public:
  explicit Series(const Shape& shape, DifferenceAxes cyclic = {})
      : extent_{shape[0], shape[1], shape[2], shape[3]}, cyclic_(cyclic.flags()) {}

  Index size() const { return extent_[0] * extent_[1] * extent_[2] * extent_[3]; }
  bool has_next(Index r, int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return at(r, axis) + 1 < extent_[a] || cyclic_[a];
  }
  Complex difference(const Complex* x, Index r, int axis) const {
    const Index next = (at(r, axis) + 1) % extent_[static_cast<std::size_t>(axis)];
    return has_next(r, axis) ? x[r + (next - at(r, axis)) * step(axis)] - x[r] : Complex(0);
  }
  Index at(Index r, int axis) const { return r / step(axis) % extent_[static_cast<std::size_t>(axis)]; }

 private:
  Index step(int axis) const {
    Index product = 1;
    for (int a = axis + 1; a < 4; ++a) product *= extent_[static_cast<std::size_t>(a)];
    return product;
  }
  std::array<Index, 4> extent_;
  std::array<bool, 4> cyclic_;
};

// A function with h(W (x, w)) by another path, in the unit in which the function itself has w.
struct Case {
  std::string name;
  std::shared_ptr<const InfimalFunction<double>> g;
  std::function<double(const Host& x, const Host& w)> value;
};

constexpr double weight = 0.15;

// w of the kernels is that of the definition over 2 sqrt(n).
Case generalized(const Shape& shape, DifferenceAxes axes, double ratio, DifferenceAxes cyclic = {}) {
  std::vector<int> along;
  for (int axis = 0; axis < 4; ++axis) {
    if (axes.flags()[static_cast<std::size_t>(axis)]) along.push_back(axis);
  }
  const double unit = 2 * std::sqrt(static_cast<double>(along.size()));
  return {"tgv", std::make_shared<GeneralizedVariation<double>>(shape, axes, weight, ratio, cyclic),
          [=](const Host& x, const Host& w) {
            const Series series(shape, cyclic);
            const auto field = [&](std::size_t a) { return w.data() + static_cast<Index>(a) * series.size(); };
            double first = 0;
            double second = 0;
            for (Index r = 0; r < series.size(); ++r) {
              double of_first = 0;
              double of_second = 0;
              for (std::size_t a = 0; a < along.size(); ++a) {
                if (series.has_next(r, along[a])) {
                  of_first += std::norm(series.difference(x.data(), r, along[a]) - unit * field(a)[r]);
                }
                for (std::size_t b = 0; b < along.size(); ++b) {
                  of_second +=
                      std::norm(unit * 0.5 *
                                (series.difference(field(b), r, along[a]) + series.difference(field(a), r, along[b])));
                }
              }
              first += std::sqrt(of_first);
              second += std::sqrt(of_second);
            }
            return weight * (first + ratio * second);
          }};
}

Case convolution(const Shape& shape, const InfimalVariationOptions& options) {
  return {"ictv", std::make_shared<InfimalVariation<double>>(shape, weight, options),
          [=](const Host& x, const Host& w) {
            const Series series(shape, options.cyclic);
            double in_space = 0;
            double in_time = 0;
            for (Index r = 0; r < series.size(); ++r) {
              double of_rest = 0;
              double of_w = 0;
              for (int axis = 0; axis < 4; ++axis) {
                const double in_first = axis == 0 ? options.mix : 1;
                const double in_second = axis == 0 ? 1 : options.mix;
                const Complex second = series.difference(w.data(), r, axis);
                of_rest += std::norm(in_first * (series.difference(x.data(), r, axis) - second));
                of_w += std::norm(in_second * second);
              }
              in_space += std::sqrt(of_rest);
              in_time += std::sqrt(of_w);
            }
            return weight * (in_space + options.time * in_time);
          }};
}

// Singular values of all patches by Eigen's Jacobi method, and the sparse part by sums over the frames.
Case low_rank_and_sparse(const Shape& shape, const LowRankSparseOptions& options) {
  return {"low rank plus sparse", std::make_shared<LowRankSparse<double>>(shape, weight, options),
          [=](const Host& x, const Host& w) {
            const Index frames = shape[0];
            const Index ny = shape[2];
            const Index nx = shape[3];
            const Index patch = options.patch > 0 ? options.patch : std::max(ny, nx);
            const Index grids = options.patch > 1 && options.two_grids ? 2 : 1;
            double singular = 0;
            for (Index start = 0; start < grids * (patch / 2); start += patch / 2) {
              for (Index y0 = 0; y0 < ny; y0 += patch) {
                for (Index x0 = 0; x0 < nx; x0 += patch) {
                  const Index columns = std::min(patch, nx - x0);
                  Eigen::MatrixXcd matrix(std::min(patch, ny - y0) * columns, frames);
                  for (Index t = 0; t < frames; ++t) {
                    for (Index r = 0; r < matrix.rows(); ++r) {
                      const Index row = (y0 + start + r / columns) % ny;
                      const Index at = (t * ny + row) * nx + (x0 + start + r % columns) % nx;
                      matrix(r, t) = x.data()[at] - w.data()[at];
                    }
                  }
                  singular += test::singular_values(matrix).sum() / static_cast<double>(grids);
                }
              }
            }
            const bool fourier = options.transform == SparseTransform::fourier;
            double sparse = 0;
            for (Index r = 0; r < ny * nx; ++r) {
              for (Index k = 0; k < frames; ++k) {
                const Complex next = k + 1 < frames ? w.data()[(k + 1) * ny * nx + r] : w.data()[k * ny * nx + r];
                Complex sum = fourier ? Complex(0) : next - w.data()[k * ny * nx + r];
                for (Index t = 0; fourier && t < frames; ++t) {
                  sum += w.data()[t * ny * nx + r] *
                         std::polar(1 / std::sqrt(static_cast<double>(frames)),
                                    -2 * std::numbers::pi * static_cast<double>(k * t) / static_cast<double>(frames));
                }
                sparse += std::abs(sum);
              }
            }
            const Index pixels = std::min(patch, ny) * std::min(patch, nx);
            const double balance = std::sqrt(static_cast<double>(std::max(pixels, frames)));
            return weight * (balance * singular + options.sparse * sparse);
          }};
}

std::vector<Case> cases() {
  return {generalized({1, 1, 6, 7}, {false, false, true, true}, 2),
          generalized({1, 3, 4, 5}, {false, true, true, true}, 1.3),
          generalized({3, 1, 4, 5}, {true, false, false, true}, 0.7),
          generalized({5, 1, 2, 3}, {true, false, false, false}, 2),
          generalized({4, 1, 3, 5}, {true, false, true, true}, 1.5, {true, false, false, true}),
          convolution({4, 1, 4, 5}, {}),
          convolution({3, 2, 3, 4}, {.time = 1.7, .mix = 0.3}),
          convolution({4, 2, 3, 4}, {.time = 1.2, .mix = 0.3, .cyclic = {true, false, true, true}}),
          low_rank_and_sparse({3, 1, 4, 5}, {}),
          low_rank_and_sparse({9, 1, 2, 3}, {.sparse = 1.4}),
          low_rank_and_sparse({5, 1, 3, 4}, {.sparse = 0.8, .transform = SparseTransform::differences}),
          low_rank_and_sparse({3, 1, 5, 4}, {.patch = 3, .two_grids = false}),
          low_rank_and_sparse({3, 1, 5, 7}, {.patch = 3}),
          low_rank_and_sparse({4, 1, 6, 5}, {.transform = SparseTransform::differences, .patch = 4})};
}

// prox_g(z) with its w, on the host: min |x - z|^2 / 2 + h(W (x, w)) by ADMM.
struct Point {
  Host x;
  Host w;
};

Point proximal_point(const Context& ctx, const InfimalFunction<double>& g, ArrayRef<const Complex> z) {
  const Index size = z.size();
  const Index unknowns = size + g.auxiliary().size();
  const auto x_of = [&](auto all) { return decltype(all)(all.data(), g.domain(), all.device()); };
  const auto w_of = [&](auto all) { return decltype(all)(all.data() + size, g.auxiliary(), all.device()); };
  const DualTerm<double> term{
      .range = g.range(),
      .norm = g.norm(),
      .step =
          [&](const Context& c, double sigma, Index, ArrayRef<const Complex> u, ArrayRef<Complex> y) {
            const DualStepSums sums = g.dual_step(c, sigma, x_of(u), w_of(u), y);
            return DualTerm<double>::Sums{sums.value, sums.change};
          },
      .add_adjoint = [&](const Context& c, ArrayRef<const Complex> y,
                         ArrayRef<Complex> sum) { g.add_adjoint(c, y, x_of(sum), w_of(sum)); },
      .add_normal = [&](const Context& c, double factor, ArrayRef<const Complex> u,
                        ArrayRef<Complex> sum) { g.add_normal(c, factor, x_of(u), w_of(u), x_of(sum), w_of(sum)); }};
  auto b = zeros<Complex>(ctx, {unknowns});
  copy<Complex>(ctx, z, x_of(b.ref()));
  auto u = zeros<Complex>(ctx, {unknowns});
  const NormalFunction<double> H = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    fill<Complex>(c, q, 0);
    copy<Complex>(c, x_of(p), x_of(q));
  };
  const SolverReport report = admm<double>(ctx, {H, b}, {term}, u, AdmmOptions{{8000, 1e-8}, 1.0, 1.0, 200, 1e-4});
  EXPECT_EQ(report.stop_reason, StopReason::tolerance) << report.residuals.back();
  Host all = to_host<Complex>(ctx, u.ref());
  return {clone<Complex>(ctx.host(), x_of(all.ref())), clone<Complex>(ctx.host(), w_of(all.ref()))};
}

TEST(InfimalFunctions, HaveTheValueOfTheirDefinition) {
  const Context ctx = test::device_context();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto x = test::random_array<double>(ctx, one.g->domain(), 1);
    const auto w = test::random_array<double>(ctx, one.g->auxiliary(), 2);
    const double expected = one.value(to_host<Complex>(ctx, x.ref()), to_host<Complex>(ctx, w.ref()));
    // Sums of some hundred terms in double.
    EXPECT_NEAR(one.g->value(ctx, x, w), expected, 1e-11 * expected);
    // A long step: the value may be that of W (x, w) moved by less than the radius over sigma, some 1e-9 of it.
    auto y = zeros<Complex>(ctx, one.g->range());
    const DualStepSums sums = one.g->dual_step(ctx, 1e9, x, w, y);
    EXPECT_NEAR(sums.value, expected, 1e-7 * expected);
    // y is a difference of numbers 1e9 times its size.
    EXPECT_NEAR(sums.change, dot<double>(ctx, y, y).real(), 1e-6 * sums.change);
    y = zeros<Complex>(ctx, one.g->range());
    const double change = one.g->dual_step(ctx, 0.3, x, w, y).change;
    EXPECT_NEAR(change, dot<double>(ctx, y, y).real(), 1e-11 * change);
  }
}

// W itself is known by a dual step so short that no vector leaves its ball: y = sigma W (x, w).
TEST(InfimalFunctions, HaveTheAdjointOfTheirOperator) {
  const Context ctx = test::device_context();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const InfimalFunction<double>& g = *one.g;
    const auto x = test::random_array<double>(ctx, g.domain(), 1);
    const auto w = test::random_array<double>(ctx, g.auxiliary(), 2);
    const auto y = test::random_array<double>(ctx, g.range(), 3);
    constexpr double sigma = 1e-3;
    auto image = zeros<Complex>(ctx, g.range());
    g.dual_step(ctx, sigma, x, w, image);
    auto back_x = zeros<Complex>(ctx, g.domain());
    auto back_w = zeros<Complex>(ctx, g.auxiliary());
    g.add_adjoint(ctx, y, back_x, back_w);
    const Complex forward = dot<double>(ctx, y, image) / sigma;
    const Complex adjoint = dot<double>(ctx, back_x, x) + dot<double>(ctx, back_w, w);
    EXPECT_LT(std::abs(forward - adjoint), 1e-12 * norm<double>(ctx, y) * norm<double>(ctx, image) / sigma);
    const double size = std::hypot(norm<double>(ctx, x), norm<double>(ctx, w));
    EXPECT_LE(norm<double>(ctx, image) / sigma, g.norm() * size);
    // The normal operator, times a factor and added to what is there.
    auto normal_x = clone<Complex>(ctx, back_x.ref());
    auto normal_w = clone<Complex>(ctx, back_w.ref());
    g.add_normal(ctx, sigma, x, w, normal_x, normal_w);
    g.add_adjoint(ctx, image, back_x, back_w);
    EXPECT_LT(test::relative_error(ctx, normal_x, back_x), 1e-13);
    EXPECT_LT(test::relative_error(ctx, normal_w, back_w), 1e-13);
  }
}

// By Moreau's identity z - x = p is the projection of z onto the set of g's conjugate, and a subgradient of g at x. Fenchel's
// equality says g(x) = Re <p, x>. The search holds F(x, w) = h(W (x, w)) + |x - z|^2 / 2 to F(x', w') >= F(x, w) +
// |x' - x|^2 / 2 over other x' and w', near and far.
TEST(InfimalFunctions, GiveTheMinimizerOfTheirDefinition) {
  const Context ctx = test::device_context(1);
  const Context host;
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const InfimalFunction<double>& g = *one.g;
    const auto z_there = test::random_array<double>(ctx, g.domain(), 7);
    const Host z = to_host<Complex>(ctx, z_there.ref());
    const Point point = proximal_point(ctx, g, z_there);
    Host p = clone<Complex>(host, z.ref());
    axpby<double>(host, -1, point.x, 1, p);
    EXPECT_GT(norm<double>(host, p), 0.1 * norm<double>(host, z));
    const double at = one.value(point.x, point.w);
    // Residuals of 1e-8 leave some 1e-7 of each term.
    EXPECT_NEAR(dot<double>(host, p, point.x).real(), at, 1e-6 * at) << "Fenchel";
    const auto cost = [&](const Host& x, const Host& w) {
      Host rest = clone<Complex>(host, x.ref());
      axpby<double>(host, -1, z, 1, rest);
      return one.value(x, w) + 0.5 * dot<double>(host, rest, rest).real();
    };
    const double least = cost(point.x, point.w);
    for (const double size : {1.0, 0.1, 1e-2, 1e-3}) {
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Host x = test::random_array<double>(host, g.domain(), 100 + seed);
        Host w = test::random_array<double>(host, g.auxiliary(), 200 + seed);
        const double moved = size * norm<double>(host, x);
        axpby<double>(host, 1, point.x, size, x);
        axpby<double>(host, 1, point.w, seed % 3 == 0 ? 0 : size, w);
        EXPECT_GE(cost(x, w), least + 0.5 * moved * moved - 1e-6 * least);
      }
    }
  }
}

// A linear image has no second differences, and that of a constant slope in each half has them at one line only.
TEST(InfimalFunctions, GeneralizedVariationOfLinearImagesIsZero) {
  const Context ctx = test::device_context();
  const Shape shape{1, 1, 6, 8};
  const GeneralizedVariation<double> g(shape, {false, false, true, true}, weight);
  Host x(ctx.host(), shape);
  for (Index r = 0; r < x.size(); ++r) {
    const auto column = static_cast<double>(r % 8);
    x.data()[r] = Complex(3 - 0.5 * static_cast<double>(r / 8) + 2 * column, 0.25 * column);
  }
  // w = G x / (2 sqrt 2), also where x has no difference.
  Host w(ctx.host(), g.auxiliary());
  for (Index r = 0; r < x.size(); ++r) {
    w.data()[r] = -0.5 / std::sqrt(8.0);
    w.data()[x.size() + r] = Complex(2, 0.25) / std::sqrt(8.0);
  }
  const auto x_there = clone<Complex>(ctx, x.ref());
  const auto w_there = clone<Complex>(ctx, w.ref());
  EXPECT_LT(g.value(ctx, x_there, w_there), 1e-13);
  const TotalVariation<double> tv(shape, {false, false, true, true}, weight);
  const auto zero = zeros<Complex>(ctx, g.auxiliary());
  // w = 0 leaves total variation.
  EXPECT_NEAR(g.value(ctx, x_there, zero), tv.value(ctx, x_there), 1e-12 * tv.value(ctx, x_there));
}

// With w = 0 it is the variation in space, with w = x that in time: the least of both is at most the smaller one.
TEST(InfimalFunctions, ConvolutionIsBelowBothParts) {
  const Context ctx = test::device_context();
  const Shape shape{4, 1, 5, 6};
  const InfimalVariation<double> g(shape, weight, {.time = 0.8});
  const auto x = test::random_array<double>(ctx, shape, 3);
  const auto none = zeros<Complex>(ctx, g.auxiliary());
  auto all = zeros<Complex>(ctx, g.auxiliary());
  copy<Complex>(ctx, x, all.ref().reshape(shape));
  const double in_space = TotalVariation<double>(shape, {false, false, true, true}, weight).value(ctx, x);
  const double in_time = 0.8 * TotalVariation<double>(shape, {true, false, false, false}, weight).value(ctx, x);
  EXPECT_NEAR(g.value(ctx, x, none), in_space, 1e-12 * in_space);
  EXPECT_NEAR(g.value(ctx, x, all), in_time, 1e-12 * in_time);
}

TEST(InfimalFunctions, RefuseWhatMakesNoSense) {
  const Context ctx = test::device_context();
  EXPECT_THROW(GeneralizedVariation<double>({4, 5}, {}, 1), ValueError);
  EXPECT_THROW(GeneralizedVariation<double>({4, 5}, {false, false, true, true}, 0), ValueError);
  EXPECT_THROW(GeneralizedVariation<double>({4, 5}, {false, false, true, true}, 1, -1), ValueError);
  EXPECT_THROW(GeneralizedVariation<double>({4, 5}, {false, false, false, true}, 1, 2, {false, false, true, false}),
               ValueError);
  EXPECT_THROW(InfimalVariation<double>({1, 1, 4, 5}, 1), ValueError);
  EXPECT_THROW(InfimalVariation<double>({4, 5}, 1), ValueError);
  EXPECT_THROW(InfimalVariation<double>({3, 1, 4, 5}, 1, {.mix = 2}), ValueError);
  EXPECT_THROW(LowRankSparse<double>({1, 1, 4, 5}, 1), ValueError);
  EXPECT_THROW(LowRankSparse<double>({3, 1, 4, 5}, 1, {.sparse = 0}), ValueError);
  EXPECT_THROW(LowRankSparse<double>({3, 1, 4, 5}, 1, {.patch = -1}), ValueError);
  const GeneralizedVariation<double> g({4, 5}, {false, false, true, true}, 1);
  const auto x = test::random_array<double>(ctx, {5, 4}, 1);
  const auto w = test::random_array<double>(ctx, g.auxiliary(), 1);
  EXPECT_THROW(static_cast<void>(g.value(ctx, x, w)), ShapeError);
}

}  // namespace
}  // namespace whorl
