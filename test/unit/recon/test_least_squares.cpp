#include "whorl/recon/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/shared.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using ComplexDouble = std::complex<double>;

// Products with 3, 2.5, 2, ... and two factors of 0: what it leaves open only lambda decides.
class Diagonal final : public LinearOperator<double> {
 public:
  explicit Diagonal(Index n) : LinearOperator<double>({n}, {n}) {}
  static double factor(Index i) { return i % 4 == 3 ? 0.0 : 3.0 - 0.5 * static_cast<double>(i % 4); }

 private:
  void do_forward(const Context& /*ctx*/, ArrayRef<const ComplexDouble> x, ArrayRef<ComplexDouble> y) const override {
    for (Index i = 0; i < x.size(); ++i) y.data()[i] = factor(i) * x.data()[i];
  }
  void do_adjoint(const Context& ctx, ArrayRef<const ComplexDouble> y, ArrayRef<ComplexDouble> x) const override {
    do_forward(ctx, y, x);
  }
};

class LeastSquares : public testing::Test {
 protected:
  const Context ctx;
  const Diagonal A{9};
  const Array<ComplexDouble> data = test::random_array<double>(ctx, {9}, 5);
  Array<ComplexDouble> x{ctx, {9}};
};

TEST_F(LeastSquares, TheEigenvalueIsThatOfTheNormalOperator) {
  const double eigenvalue = normal_eigenvalue<double>(ctx, A);
  EXPECT_NEAR(eigenvalue, 9, 9e-3);  // 0.1 %, as promised
}

TEST_F(LeastSquares, LambdaBelongsToTheOperatorOfNormOne) {
  const double lambda = 0.2;
  const auto report =
      least_squares<double>(ctx, "test", {test::shared<double>(A), 9}, data, {.tolerance = 1e-12, .lambda = lambda}, x);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  for (Index i = 0; i < 9; ++i) {
    const double d = Diagonal::factor(i);
    // min of |d x - y|^2 + lambda 9 |x|^2. Residuals of 1e-12 of a system of condition 6.
    EXPECT_LT(std::abs(x.data()[i] - d * data.data()[i] / (d * d + 9 * lambda)), 1e-11) << i;
  }
}

TEST_F(LeastSquares, TheScaleOfDataIsThatOfTheImage) {
  least_squares<double>(ctx, "test", {test::shared<double>(A), 9}, data, {.iterations = 2}, x);
  const auto once = clone(ctx, x.ref());
  auto louder = clone(ctx, data.ref());
  for (auto& value : louder.span()) value *= 1024;
  least_squares<double>(ctx, "test", {test::shared<double>(A), 9}, louder, {.iterations = 2}, x);
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(x.data()[i], 1024.0 * once.data()[i]);
}

TEST_F(LeastSquares, BadOptionsAreRefused) {
  const auto solve = [&](double eigenvalue, const LeastSquaresOptions& options) {
    least_squares<double>(ctx, "test", {test::shared<double>(A), eigenvalue}, data, options, x);
  };
  EXPECT_THROW(solve(9, {.lambda = -1}), ValueError);
  EXPECT_THROW(solve(9, {.lambda = std::nan("")}), ValueError);
  EXPECT_THROW(solve(0, {}), ValueError);
  EXPECT_THROW(solve(9, {.iterations = -1}), ValueError);
}

}  // namespace
}  // namespace whorl
