#include "calib/joint_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/matrix_products.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {
namespace {

using Value = std::complex<double>;

// Sums term by term. The extents reach across strips, tiles and their ends on every device.
template <class Real>
void check_products(const Context& ctx, const kernels::MatrixProducts& of, double tolerance) {
  const Index a_count = (of.one_a ? 1 : of.batch) * of.rows * of.depth;
  const Index b_count = (of.one_b ? 1 : of.batch) * of.depth * of.columns;
  const auto a = test::random_array<Real>(ctx, {a_count}, 1);
  const auto b = test::random_array<Real>(ctx, {b_count}, 2);
  const auto a_here = to_host<const std::complex<Real>>(ctx, a);
  const auto b_here = to_host<const std::complex<Real>>(ctx, b);
  Array<Value> expected = zeros<Value>(Context(), {of.batch * of.rows * of.columns});
  for (Index i = 0; i < of.batch; ++i) {
    for (Index r = 0; r < of.rows; ++r) {
      for (Index k = 0; k < of.depth; ++k) {
        const Value factor(a_here.data()[((of.one_a ? 0 : i) * of.rows + r) * of.depth + k]);
        for (Index c = 0; c < of.columns; ++c) {
          const Value value(b_here.data()[((of.one_b ? 0 : i) * of.depth + k) * of.columns + c]);
          expected.data()[(i * of.rows + r) * of.columns + c] += factor * value;
        }
      }
    }
  }
  Array<std::complex<Real>> found(ctx, expected.shape());
  kernels::matrix_products<Real>(ctx, of, a.data(), b.data(), found.data());
  EXPECT_LT(test::relative_error(ctx, found, expected), tolerance)
      << of.batch << " of " << of.rows << " x " << of.depth << " x " << of.columns;
}

// Rounding of a sum of n terms of random sign is some sqrt(n) times that of a term, and so is the sum.
TEST(MatrixProducts, AreSumsOfProducts) {
  const Context ctx = test::device_context();
  for (const auto& of : {kernels::MatrixProducts{3, 5, 7, 11, false, false},
                         {2, 33, 31, 65, true, false},
                         {40, 1, 43, 256, false, true},
                         {1, 1, 1, 1, false, false},
                         {2, 70, 100, 16, true, true},
                         {5, 17, 40, 37, true, false}}) {
    check_products<float>(ctx, of, 1e-6);
    check_products<double>(ctx, of, 2e-15);
  }
}

// c(r) = n sum_k w(k) a(k) exp(2 pi i k . r / P) as it stands in the header, over all coefficients of the box.
TEST(SmoothMaps, AreWeightedFourierSums) {
  const Context ctx = test::device_context();
  for (const Shape& image : {Shape{24, 33}, Shape{9, 16, 20}}) {
    const SmoothMapOptions options{.smoothness = 100, .order = 20, .period = 1.3};
    const SmoothMaps<double> maps(ctx, image, options);
    const Shape& box = maps.box();
    const Index fields = 3;
    const auto coefficients = test::random_array<double>(ctx, {fields, box.size()}, 5);
    const auto a = to_host<const Value>(ctx, coefficients);
    Array<Value> found(ctx, image.with_front(fields));
    maps.forward(ctx, coefficients, found);
    double scale = 1;
    for (const Index n : image) scale /= std::sqrt(options.period * static_cast<double>(n));
    Array<Value> expected = zeros<Value>(Context(), found.shape());
    for (Index i = 0; i < box.size(); ++i) {
      double square = 0;
      std::vector<double> k;
      Index rest = i;
      for (int axis = image.rank() - 1; axis >= 0; --axis) {
        k.insert(k.begin(), static_cast<double>(rest % box[axis] - box[axis] / 2) /
                                (options.period * static_cast<double>(image[axis])));
        square += k.front() * k.front();
        rest /= box[axis];
      }
      const double weight = scale * std::pow(1 + options.smoothness * square, -options.order / 2);
      for (Index r = 0; r < image.size(); ++r) {
        double turns = 0;
        Index left = r;
        for (int axis = image.rank() - 1; axis >= 0; --axis) {
          turns += k[static_cast<std::size_t>(axis)] * static_cast<double>(left % image[axis] - image[axis] / 2);
          left /= image[axis];
        }
        const Value phase = std::polar(1.0, 2 * std::numbers::pi * turns);
        for (Index f = 0; f < fields; ++f) {
          expected.data()[f * image.size() + r] += weight * phase * a.data()[f * box.size() + i];
        }
      }
    }
    EXPECT_LT(test::relative_error(ctx, found, expected), 1e-13);
    // <W a, c> = <a, W^H c>
    const auto other = test::random_array<double>(ctx, found.shape(), 6);
    Array<Value> back(ctx, coefficients.shape());
    maps.adjoint(ctx, other, back);
    const Value left = dot<double>(ctx, found, other);
    EXPECT_LT(std::abs(left - dot<double>(ctx, coefficients, back)), 1e-12 * std::abs(left));
  }
}

// Weights fall from 1 at k = 0: beyond the box they are below 1e-5.
TEST(SmoothMaps, TheBoxHoldsAllThatIsNotTiny) {
  const Context ctx;
  const SmoothMaps<double> maps(ctx, {256, 128}, {});
  for (int axis = 0; axis < 2; ++axis) {
    const double outside = static_cast<double>(maps.box()[axis] / 2 + 1) / (1.25 * (axis == 0 ? 256 : 128));
    EXPECT_LT(std::pow(1 + 220 * outside * outside, -16), 1e-5);
  }
  EXPECT_LT(maps.box()[0], 60);
}

struct Model {
  explicit Model(const Context& ctx, Index sets, Index at_once = 3) : model(ctx, {12, 17}, 3, sets, {}, at_once) {}

  void linearize(const Context& ctx, const Array<Value>& x) {
    model.linearize(ctx, x);
    model.enter(ctx, 0, model.coils());
  }

  // G at a point.
  Array<Value> at(const Context& ctx, const Array<Value>& x) {
    linearize(ctx, x);
    Array<Value> y(ctx, {model.coils(), model.voxels()});
    model.value(ctx, y);
    return y;
  }

  JointModel<double> model;
};

// G is bilinear, so (G(x + h dx) - G(x - h dx)) / 2h is DG dx but for rounding, for any h; with h = 1e-3 rounding of G is
// 1e-16 / 1e-3 of it.
TEST(JointModel, TheDerivativeIsThatOfFiniteDifferences) {
  const Context ctx = test::device_context();
  for (const Index sets : {Index{1}, Index{3}}) {
    Model of(ctx, sets);
    const auto x = test::random_array<double>(ctx, {of.model.unknowns()}, 1);
    const auto dx = test::random_array<double>(ctx, x.shape(), 2);
    constexpr double h = 1e-3;
    Array<Value> forth = clone<Value>(ctx, x.ref());
    axpby<double>(ctx, h, dx, 1, forth);
    Array<Value> back = clone<Value>(ctx, x.ref());
    axpby<double>(ctx, -h, dx, 1, back);
    Array<Value> difference = of.at(ctx, forth);
    const Array<Value> behind = of.at(ctx, back);
    axpby<double>(ctx, -0.5 / h, behind, 0.5 / h, difference);
    of.linearize(ctx, x);
    Array<Value> derivative(ctx, difference.shape());
    of.model.derivative(ctx, dx, derivative);
    EXPECT_LT(test::relative_error(ctx, derivative, difference), 1e-11);
  }
}

TEST(JointModel, TheAdjointIsThatOfTheDerivative) {
  const Context ctx = test::device_context();
  for (const Index sets : {Index{1}, Index{3}}) {
    Model of(ctx, sets);
    const auto x = test::random_array<double>(ctx, {of.model.unknowns()}, 1);
    const auto dx = test::random_array<double>(ctx, x.shape(), 2);
    const auto y = test::random_array<double>(ctx, {of.model.coils(), of.model.voxels()}, 3);
    of.linearize(ctx, x);
    Array<Value> there(ctx, y.shape());
    of.model.derivative(ctx, dx, there);
    Array<Value> back(ctx, dx.shape());
    of.model.adjoint(ctx, y, back);
    const Value left = dot<double>(ctx, there, y);
    const Value right = dot<double>(ctx, dx, back);
    EXPECT_LT(std::abs(left - right), 1e-12 * norm<double>(ctx, there) * norm<double>(ctx, y));
  }
}

// Two coils and then the last one: the same products, and sums in the same order.
TEST(JointModel, CoilsMayBeEnteredInParts) {
  const Context ctx = test::device_context();
  for (const Index sets : {Index{1}, Index{2}}) {
    Model whole(ctx, sets);
    Model parts(ctx, sets, 2);
    const auto x = test::random_array<double>(ctx, {whole.model.unknowns()}, 1);
    const auto dx = test::random_array<double>(ctx, x.shape(), 2);
    const auto y = test::random_array<double>(ctx, {whole.model.coils(), whole.model.voxels()}, 3);
    whole.linearize(ctx, x);
    Array<Value> expected(ctx, y.shape());
    whole.model.derivative(ctx, dx, expected);
    Array<Value> expected_back(ctx, dx.shape());
    whole.model.adjoint(ctx, y, expected_back);
    Array<Value> there(ctx, y.shape());
    Array<Value> back(ctx, dx.shape());
    parts.model.linearize(ctx, x);
    for (const auto& [first, end] : {std::pair<Index, Index>{0, 2}, {2, 3}}) {
      parts.model.enter(ctx, first, end);
      parts.model.derivative(ctx, dx, there.ref().range(first, end));
      parts.model.adjoint(ctx, y.ref().range(first, end), back);
    }
    EXPECT_LT(test::relative_error(ctx, there, expected), 1e-15);
    EXPECT_LT(test::relative_error(ctx, back, expected_back), 1e-15);
  }
}

}  // namespace
}  // namespace whorl
