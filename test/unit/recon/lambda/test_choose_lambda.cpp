#include "whorl/recon/choose_lambda.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/file_content.hpp"
#include "support/shared.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "unit/solver/dense_system.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using ComplexDouble = std::complex<double>;
using test::Matrix;
using test::Vector;

class Dense final : public LinearOperator<double> {
 public:
  explicit Dense(const Matrix& A) : LinearOperator<double>({A.cols()}, {A.rows()}), A_(A) {}

 private:
  void do_forward(const Context& /*ctx*/, ArrayRef<const ComplexDouble> x, ArrayRef<ComplexDouble> y) const override {
    Eigen::Map<Vector>(y.data(), y.size()) = A_ * Eigen::Map<const Vector>(x.data(), x.size());
  }
  void do_adjoint(const Context& /*ctx*/, ArrayRef<const ComplexDouble> y, ArrayRef<ComplexDouble> x) const override {
    Eigen::Map<Vector>(x.data(), x.size()) = A_.adjoint() * Eigen::Map<const Vector>(y.data(), y.size());
  }
  const Matrix& A_;
};

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Matrix G(rows, columns);
  for (Index i = 0; i < G.size(); ++i) {
    G.data()[i] = {random_normal(seed, static_cast<std::uint64_t>(2 * i)),
                   random_normal(seed, static_cast<std::uint64_t>(2 * i + 1))};
  }
  return G;
}

// 60 samples of 24 unknowns, singular values that fall from 3 by 5 decades, and noise of E|n|^2 = 1.
class ChooseLambda : public testing::Test {
 protected:
  static constexpr Index m = 60;
  static constexpr Index n = 24;

  void SetUp() override {
    const Matrix U = test::orthonormal_basis(random_matrix(m, n, 1)).leftCols(n);
    const Matrix V = test::orthonormal_basis(random_matrix(n, n, 2));
    Eigen::VectorXd singular(n);
    for (Index i = 0; i < n; ++i) singular[i] = 3 * std::pow(10, -5.0 * static_cast<double>(i) / (n - 1));
    A = U * singular.cast<ComplexDouble>().asDiagonal() * V.adjoint();
    const Vector truth = 40 * (V * random_matrix(n, 1, 3));
    const Vector noisy = A * truth + random_matrix(m, 1, 4) / std::sqrt(2.0);
    std::copy(noisy.data(), noisy.data() + m, data.data());
    W = random_matrix(n, n, 5);
    W /= test::singular_values(W)[0];
  }

  // A point by dense algebra; W may have no elements.
  LambdaPoint exact(double lambda, const Matrix& weights, double* least_eigenvalue = nullptr,
                    double* deviation = nullptr) const {
    const Matrix P = weights.size() > 0 ? Matrix(weights.adjoint() * weights) : Matrix(Matrix::Identity(n, n));
    const Matrix H = A.adjoint() * A / s + lambda * P;
    const Eigen::Map<const Vector> d(data.data(), m);
    const Vector x = test::solve_hermitian(H, A.adjoint() * d / s);
    const Matrix left = lambda * test::solve_hermitian(H, P);
    if (least_eigenvalue != nullptr) *least_eigenvalue = test::eigenvalues(H)[0];
    if (deviation != nullptr) {
      // Variance of Re z^H M z for one probe z of 1, i, -1, -i: its Hermitian part B gives sum over i != j of |B_ij|^2.
      Matrix B = (left + left.adjoint()) / 2;
      B.diagonal().setZero();
      *deviation = B.norm();
    }
    return {lambda, (A * x - d).squaredNorm(), x.dot(P * x).real(), n - left.trace().real()};
  }

  LambdaCurve exact_curve(int per_decade) const {
    LambdaCurve curve;
    curve.samples = m;
    curve.eigenvalue = s;
    for (int i = 0; i <= 5 * per_decade; ++i) {
      curve.points.push_back(exact(std::pow(10, -5 + static_cast<double>(i) / per_decade), {}));
    }
    return curve;
  }

  // The lambda with the least f of 40 a decade: known to 3 %.
  double least(const std::function<double(double)>& f) const {
    double best = 0;
    for (int i = 1; i < 200; ++i) {
      const double lambda = std::pow(10, -5 + i / 40.0);
      if (best == 0 || f(lambda) < f(best)) best = lambda;
    }
    return best;
  }

  const Context ctx;
  const double s = 9;
  Matrix A;
  Matrix W;
  Array<ComplexDouble> data{ctx, {m}};
};

TEST_F(ChooseLambda, TheCurveIsThatOfDenseAlgebra) {
  const Dense encoding(A);
  const Dense penalty(W);
  for (const bool weighted : {false, true}) {
    const LambdaSweepOptions options{
        .lowest = 1e-4, .highest = 1, .per_decade = 2, .probes = 8, .probe_iterations = 500};
    const LambdaCurve curve = lambda_curve<double>(
        ctx, {test::shared<double>(encoding), s, test::penalty_of<double>(weighted ? &penalty : nullptr)}, data,
        options);
    ASSERT_EQ(curve.points.size(), 9U);
    EXPECT_EQ(curve.unfinished, 0);
    EXPECT_EQ(curve.unfinished_probes, 0);
    EXPECT_EQ(curve.samples, m);
    for (const LambdaPoint& point : curve.points) {
      double least_eigenvalue = 0;
      double deviation = 0;
      const LambdaPoint expected = exact(point.lambda, weighted ? W : Matrix(), &least_eigenvalue, &deviation);
      // As promised; and the solver leaves an error e with |e|_H of at most 0.003 sqrt(lambda) |W x|, as estimated, of
      // which |A e|^2 / s is a part.
      const double error = 3e-3 * std::sqrt(point.lambda * expected.penalty);
      EXPECT_NEAR(std::sqrt(point.residual), std::sqrt(expected.residual), std::sqrt(s) * error) << point.lambda;
      EXPECT_NEAR(std::sqrt(point.penalty / expected.penalty), 1, 1e-3) << point.lambda;
      // Four standard deviations of the mean over the probes, and the tolerance of their solutions.
      EXPECT_NEAR(point.freedom, expected.freedom,
                  4 * deviation / std::sqrt(8.0) + 1e-3 * n / std::sqrt(least_eigenvalue))
          << point.lambda;
    }
  }
}

// Spokes that leave part of k-space open, with little noise and much: the smaller lambda, the longer conjugate gradient
// takes, hundreds of steps at the end of the grid.
TEST(LambdaCurve, ThePenaltyOfAScanIsRightToAThousandth) {
  const Context ctx;
  constexpr Index ny = 16;
  constexpr Index nx = 20;
  std::vector<std::array<double, 2>> points;
  for (int spoke = 0; spoke < 9; ++spoke) {
    const double angle = std::numbers::pi * 0.618034 * spoke;
    for (int i = -20; i < 20; ++i) points.push_back({i / 40.0 * std::cos(angle), i / 40.0 * std::sin(angle)});
  }
  const test::DenseOperator A(test::dense_encoding(points, ny, nx, Matrix::Ones(1, ny * nx)), {ny, nx});
  const test::DenseOperator W(test::dense_differences(ny, nx), {ny, nx});
  const double s = test::largest_normal_eigenvalue(A.matrix());
  Vector truth(ny * nx);
  for (Index i = 0; i < ny * nx; ++i) truth[i] = std::hypot(i / nx - 8, i % nx - 10) < 6.5 ? 1 : 0.1;
  for (const double noise : {0.01, 1.0}) {
    const Vector d = A.matrix() * truth + noise * random_matrix(static_cast<Index>(points.size()), 1, 8);
    Array<ComplexDouble> data(ctx, {d.size()});
    std::copy(d.data(), d.data() + d.size(), data.data());
    for (const bool differences : {false, true}) {
      const LambdaCurve curve = lambda_curve<double>(
          ctx, {test::shared<double>(A), s, test::penalty_of<double>(differences ? &W : nullptr)}, data, {.probes = 0});
      EXPECT_EQ(curve.unfinished, 0);
      double worst = 0;
      for (const LambdaPoint& point : curve.points) {
        const Matrix P = differences ? W.normal_matrix() : Matrix(Matrix::Identity(ny * nx, ny * nx));
        const Vector x = test::solve_hermitian(A.normal_matrix() / s + point.lambda * P, A.matrix().adjoint() * d / s);
        const double expected = differences ? (W.matrix() * x).norm() : x.norm();
        worst = std::max(worst, std::abs(std::sqrt(point.penalty) / expected - 1));
        // |A x - d|^2 + lambda s |W x|^2 is least, so that e changes it by s |e|_H^2 alone.
        EXPECT_NEAR(point.residual, (A.matrix() * x - d).squaredNorm(), 2.2e-3 * point.lambda * s * expected * expected)
            << point.lambda;
      }
      std::printf("noise %g, %s: |W x| off by %.4f %% at most, %d iterations\n", noise,
                  differences ? "differences" : "values", 100 * worst, static_cast<int>(curve.iterations));
      EXPECT_LT(worst, 1e-3);
    }
  }
}

TEST_F(ChooseLambda, AtTheLimitOfIterationsItSaysSo) {
  const Dense encoding(A);
  const auto reason = [&](int iterations) {
    return choose_lambda<double>(ctx, {test::shared<double>(encoding), s}, data, {.sweep = {.iterations = iterations}})
        .reason;
  };
  EXPECT_NE(reason(3).find("of 21 images ended at the limit of 3 iterations"), std::string::npos) << reason(3);
  EXPECT_EQ(reason(1000).find("limit"), std::string::npos) << reason(1000);
}

TEST_F(ChooseLambda, CrossValidationFindsTheLeastValue) {
  const auto gcv = [&](double lambda) {
    const LambdaPoint point = exact(lambda, {});
    return m * point.residual / std::pow(m - point.freedom, 2);
  };
  const double expected = least(gcv);
  const LambdaChoice choice = choose_lambda(exact_curve(4), LambdaMethod::gcv);
  // The steps of both searches, 6 % and 1 %, and a spline through four points a decade of functions that are a decade
  // and more wide.
  EXPECT_NEAR(std::log(choice.lambda / expected), 0, 0.1);
  EXPECT_NE(choice.reason.find("cross-validation"), std::string::npos);
  EXPECT_EQ(choice.reason.find(" end"), std::string::npos) << choice.reason;
  EXPECT_EQ(choice.kind, NoteKind::answer);
  // Without the points up to five times it, the least value is that of the first one.
  LambdaCurve above = exact_curve(4);
  std::erase_if(above.points, [&](const LambdaPoint& point) { return point.lambda < 5 * expected; });
  const LambdaChoice at_end = choose_lambda(above, LambdaMethod::gcv);
  EXPECT_NE(at_end.reason.find("at its lower end"), std::string::npos) << at_end.reason;
  EXPECT_EQ(at_end.kind, NoteKind::doubt);

  // From the sweep: G to 2 sd(T) / (m - T) of itself, at the choice and at the least value; sd of T at most sqrt(n / 2)
  // over the root of the probes.
  const Dense encoding(A);
  const LambdaChoice swept =
      choose_lambda<double>(ctx, {test::shared<double>(encoding), s}, data,
                            {.method = LambdaMethod::gcv, .sweep = {.probes = 64, .probe_iterations = 500}});
  const double deviation = std::sqrt(n / 2.0 / 64);
  EXPECT_LT(gcv(swept.lambda), gcv(expected) * (1 + 4 * deviation / (m - n)));
}

TEST_F(ChooseLambda, TheDiscrepancyPrincipleFindsTheNoise) {
  for (const double noise : {1.0, 1.5}) {
    double low = 1e-5;
    double high = 1;
    while (high / low > 1.0001) {
      const double middle = std::sqrt(low * high);
      (exact(middle, {}).residual < noise * m ? low : high) = middle;
    }
    const LambdaChoice choice = choose_lambda(exact_curve(4), LambdaMethod::discrepancy, noise);
    // The largest of steps of 1 % below it, and the spline.
    EXPECT_NEAR(std::log(choice.lambda / low), 0, 0.02);
  }
  // Both numbers and the way out.
  for (const double noise : {1e-3, 1e9}) {
    const std::string text =
        test::error_of<ValueError>([&] { choose_lambda(exact_curve(4), LambdaMethod::discrepancy, noise); });
    EXPECT_NE(text.find(noise < 1 ? "never below" : "never above"), std::string::npos) << text;
    EXPECT_NE(text.find(noise < 1 ? "expected 0.06 " : "expected 6e+10 "), std::string::npos) << text;
    EXPECT_NE(text.find("use gcv"), std::string::npos) << text;
  }
  EXPECT_THROW(choose_lambda(exact_curve(4), LambdaMethod::discrepancy, 0), ValueError);
}

TEST_F(ChooseLambda, TheLCurveTurnsMostAtItsCorner) {
  // By its definition, from differences of the exact curve: (x' y'' - x'' y') / (x'^2 + y'^2)^(3/2).
  const auto curvature = [&](double lambda) {
    constexpr double h = 0.02;
    std::array<double, 3> x{};
    std::array<double, 3> y{};
    for (std::size_t i = 0; i < 3; ++i) {
      const LambdaPoint point = exact(lambda * std::exp(h * (static_cast<double>(i) - 1)), {});
      x[i] = std::log(point.residual) / 2;
      y[i] = std::log(point.penalty) / 2;
    }
    const double x1 = (x[2] - x[0]) / (2 * h);
    const double y1 = (y[2] - y[0]) / (2 * h);
    const double x2 = (x[2] - 2 * x[1] + x[0]) / (h * h);
    const double y2 = (y[2] - 2 * y[1] + y[0]) / (h * h);
    return (x1 * y2 - x2 * y1) / std::pow(x1 * x1 + y1 * y1, 1.5);
  };
  const LambdaCurve curve = exact_curve(4);
  const std::vector<double> values = l_curve_curvatures(curve);
  ASSERT_EQ(values.size(), 21U);
  for (std::size_t i = 2; i + 2 < values.size(); ++i) {
    // The slope of a spline at distance h = 0.58 of functions that are some 2.3 wide, a decade: h^3 / 24 of their
    // fourth derivative, about 1 / 2.3^4: some 1e-3, of a slope of a tenth and more; differences and rounding are far
    // below.
    EXPECT_NEAR(values[i], curvature(curve.points[i].lambda), 0.02 * std::abs(values[i]) + 0.02) << i;
  }
  const double expected = least([&](double lambda) { return -curvature(lambda); });
  EXPECT_NEAR(std::log(choose_lambda(curve, LambdaMethod::l_curve).lambda / expected), 0, 0.1);

  // All singular values alike: the curve has no upright part.
  LambdaCurve straight;
  straight.samples = m;
  straight.eigenvalue = 1;
  for (int i = 0; i <= 20; ++i) {
    const double lambda = std::pow(10, -5 + i / 4.0);
    const double factor = 1 / (1 + lambda);
    straight.points.push_back({lambda, 36 + 1000 * std::pow(1 - factor, 2), 1000 * factor * factor, n * factor});
  }
  EXPECT_THROW(choose_lambda(straight, LambdaMethod::l_curve), ValueError);
}

TEST_F(ChooseLambda, DataWithoutNoiseAskForTheLeastLambdaAndItIsSaid) {
  const Vector clean = A * random_matrix(n, 1, 7);
  std::copy(clean.data(), clean.data() + m, data.data());
  const LambdaChoice choice = choose_lambda(exact_curve(4), LambdaMethod::gcv);
  EXPECT_NEAR(choice.lambda, 1e-5, 1e-7);
  EXPECT_NE(choice.reason.find("lower end"), std::string::npos) << choice.reason;
}

TEST_F(ChooseLambda, TheSeedDecidesTheProbes) {
  const Dense encoding(A);
  const auto freedom = [&](std::uint64_t seed) {
    return lambda_curve<double>(ctx, {test::shared<double>(encoding), s}, data, {.seed = seed}).points[10].freedom;
  };
  EXPECT_EQ(freedom(1), freedom(1));
  EXPECT_NE(freedom(1), freedom(2));
}

TEST_F(ChooseLambda, BadInputIsRefused) {
  const Dense encoding(A);
  const auto sweep = [&](const LambdaSweepOptions& options) {
    lambda_curve<double>(ctx, {test::shared<double>(encoding), s}, data, options);
  };
  EXPECT_THROW(sweep({.lowest = -1}), ValueError);
  EXPECT_THROW(sweep({.lowest = 2}), ValueError);
  EXPECT_THROW(sweep({.highest = std::numeric_limits<double>::infinity()}), ValueError);
  EXPECT_THROW(sweep({.lowest = 0.5}), ValueError);
  EXPECT_THROW(sweep({.per_decade = 0}), ValueError);
  EXPECT_THROW(sweep({.probes = -1}), ValueError);
  EXPECT_THROW(sweep({.iterations = 0}), ValueError);
  EXPECT_THROW(sweep({.probe_iterations = 0}), ValueError);
  EXPECT_THROW(lambda_curve<double>(ctx, {test::shared<double>(encoding), 0}, data), ValueError);
  LambdaCurve curve = lambda_curve<double>(ctx, {test::shared<double>(encoding), s}, data, {.probes = 0});
  EXPECT_TRUE(std::isnan(curve.points.front().freedom));
  EXPECT_THROW(choose_lambda(curve, LambdaMethod::gcv), ValueError);
  curve.points.resize(4);
  EXPECT_THROW(choose_lambda(curve, LambdaMethod::l_curve), ValueError);
  fill<ComplexDouble>(data, 0);
  EXPECT_THROW(sweep({}), ValueError);
}

}  // namespace
}  // namespace whorl
