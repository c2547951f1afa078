#include "whorl/recon/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

// Products that fall from 1 to 1/300, as densities of samples in a volume do from the center of k-space to its edge.
class Falling final : public LinearOperator<double> {
 public:
  explicit Falling(Index n) : LinearOperator<double>({n}, {n}) {}
  static double factor(Index i) { return 1 / (1 + static_cast<double>(i)); }

 private:
  void do_forward(const Context& /*ctx*/, ArrayRef<const ComplexDouble> x, ArrayRef<ComplexDouble> y) const override {
    for (Index i = 0; i < x.size(); ++i) y.data()[i] = factor(i) * x.data()[i];
  }
  void do_adjoint(const Context& ctx, ArrayRef<const ComplexDouble> y, ArrayRef<ComplexDouble> x) const override {
    do_forward(ctx, y, x);
  }
};

TEST_F(LeastSquares, EndsWhereTheErrorIsATenthOfTheNoise) {
  const Index n = 300;
  const Falling falling(n);
  const auto values = test::random_array<double>(ctx, {n}, 3);
  for (const double noise : {1e-2, 1e-4}) {
    for (const double lambda : {1e-5, 1e-3}) {
      Array<ComplexDouble> found(ctx, {n});
      const auto report =
          least_squares<double>(ctx, "test", {test::shared<double>(falling), 1}, values,
                                {.iterations = 2000, .tolerance = 0, .lambda = lambda, .noise = noise}, found);
      EXPECT_EQ(report.stop_reason, StopReason::error);
      // e^H H e for H = d^2 + lambda, and its mean for noise in the data.
      double error = 0;
      double of_noise = 0;
      for (Index i = 0; i < n; ++i) {
        const double d = Falling::factor(i);
        const double h = d * d + lambda;
        error += h * std::norm(found.data()[i] - d * values.data()[i] / h);
        of_noise += d * d / h * noise * noise;
      }
      EXPECT_LT(error, 0.01 * of_noise) << noise << " " << lambda;
      // Nor is it much less: more iterations would be in vain.
      EXPECT_GT(error, 1e-9 * of_noise) << noise << " " << lambda;
    }
  }
}

TEST(SolverReport, SaysHowAllEnded) {
  std::vector<SolverReport> reports(3);
  for (SolverReport& report : reports) report.stop_reason = StopReason::error;
  EXPECT_EQ(describe_ends(reports), "the remaining error is small beside the noise");
  reports[1].stop_reason = StopReason::iterations;
  EXPECT_EQ(describe_ends(reports),
            "1 of 3: reached the limit of iterations, 2 of 3: the remaining error is small beside the noise");
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
