#include "whorl/op/operator.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>
#include <utility>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;
using Apply = void (Operator<double>::*)(const Context&, ArrayRef<const Complex>, ArrayRef<Complex>) const;

// What would refer to an operator or an array that is gone does not compile.
template <class A, class B>
concept HasProduct = requires(A&& a, B&& b) {
  std::forward<A>(a) * std::forward<B>(b);
};
template <class A, class B>
concept HasSum = requires(A&& a, B&& b) {
  std::forward<A>(a) + std::forward<B>(b);
};
static_assert(HasProduct<Nufft<float>, Sense<float>> && HasProduct<Operator<float>&, Sense<float>>);
static_assert(!HasProduct<Nufft<float>&, Sense<float>> && !HasProduct<Operator<float>, const Sense<float>&>);
static_assert(!HasProduct<Nufft<float>, Sense<double>> && !HasSum<Operator<float>, Operator<double>>);
static_assert(HasSum<Operator<float>, Nufft<float>> && HasProduct<int, Operator<float>>);
static_assert(!std::is_constructible_v<Operator<float>, Nufft<float>&>);
static_assert(std::is_constructible_v<Operator<float>, std::shared_ptr<const Nufft<float>>>);
static_assert(std::is_constructible_v<Sense<float>, Array<std::complex<float>>>);
static_assert(!std::is_constructible_v<Sense<float>, Array<std::complex<float>>&>, "share() it, or move it");
static_assert(!std::is_constructible_v<Sense<float>, ArrayRef<std::complex<float>>>, "refer_to() says so");
static_assert(!std::is_constructible_v<SenseNufft<float>, Nufft<float>, ArrayRef<std::complex<float>>>);
static_assert(!std::is_constructible_v<BlockDiagonal<float>, Sense<float>&, Index>, "BlockDiagonal shares its block");

// The matrix of a linear map, column by column.
Matrix matrix_of(const Operator<double>& A, Apply apply, const Shape& from, const Shape& to) {
  const Context ctx;
  Matrix matrix(to.size(), from.size());
  for (Index i = 0; i < from.size(); ++i) {
    Array<Complex> x = zeros<Complex>(ctx, from);
    x.span()[static_cast<std::size_t>(i)] = 1;
    Array<Complex> y(ctx, to);
    (A.*apply)(ctx, x, y);
    matrix.col(i) = Eigen::Map<const Eigen::VectorXcd>(y.data(), y.size());
  }
  return matrix;
}

Matrix matrix_of(const Operator<double>& A) { return matrix_of(A, &Operator<double>::forward, A.domain(), A.range()); }

// Sums of at most 40 products of numbers up to 10, in double: rounding below 40 * 100 * 1e-16.
constexpr double rounding = 1e-12;

void expect_matrix(const Operator<double>& A, const Matrix& expected) {
  SCOPED_TRACE(A.name());
  EXPECT_LT((matrix_of(A) - expected).norm(), rounding);
  EXPECT_LT((matrix_of(A, &Operator<double>::adjoint, A.range(), A.domain()) - expected.adjoint()).norm(), rounding);
  const Matrix normal = expected.adjoint() * expected;
  EXPECT_LT((matrix_of(A, &Operator<double>::normal, A.domain(), A.domain()) - normal).norm(), rounding);
}

const Shape image{3, 5};

Operator<double> sense() { return Sense<double>(test::random_array<double>(Context(), image.with_front(2), 4)); }
Operator<double> differences() { return WeightedDifferences<double>(Context(), image); }
Operator<double> dft() { return Dft<double>(Context(), test::random_points(Context(), 7, 2), image, 2); }

// Its parts are gone but for the handle.
Operator<double> encoding() {
  const Operator<double> S = sense();
  return dft() * S;
}

TEST(Operator, ProductsSumsAndMultiplesAreThoseOfMatrices) {
  const Matrix S = matrix_of(sense());
  const Matrix W = matrix_of(differences());
  const Matrix F = matrix_of(dft());
  expect_matrix(encoding(), F * S);
  expect_matrix(sense() + differences(), S + W);
  expect_matrix(sense() - differences(), S - W);
  expect_matrix(Complex(2, -3) * sense(), Complex(2, -3) * S);
  expect_matrix(2 * sense() * 1.0F, 2 * S);
  expect_matrix(-sense(), -S);
  expect_matrix(sense().adjoint(), S.adjoint());
  expect_matrix(encoding().normal(), S.adjoint() * F.adjoint() * F * S);
  expect_matrix(sense().adjoint() * differences(), S.adjoint() * W);
}

TEST(Operator, AStackIsJoinedWhereTheRangesFit) {
  const Operator<double> S = sense();
  const Operator<double> both = stack(S, differences());
  EXPECT_EQ(both.range(), (Shape{4, 3, 5}));
  Matrix expected(60, 15);
  expected << matrix_of(S), matrix_of(differences());
  expect_matrix(both, expected);
  const Operator<double> other = stack(encoding(), 0.5 * differences());
  EXPECT_EQ(other.range(), (Shape{14 + 30}));
  Matrix more(44, 15);
  more << matrix_of(encoding()), 0.5 * matrix_of(differences());
  expect_matrix(other, more);
  EXPECT_EQ(stack(S).range(), S.range());
}

TEST(Operator, TheAdjointOfAnAdjointIsTheOperator) {
  const Operator<double> S = sense();
  EXPECT_EQ(&*S.adjoint().adjoint(), &*S);
}

TEST(Operator, HandlesShareWhatTheyAreMadeFrom) {
  Operator A = Sense<double>(test::random_array<double>(Context(), {2, 3, 5}, 4));  // of double, by deduction
  static_assert(std::is_same_v<decltype(A), Operator<double>>);
  const Matrix before = matrix_of(A);
  const Operator<double> blocks = BlockDiagonal<double>(A, 2);
  const Operator<double> product = dft() * A;
  A = nullptr;
  EXPECT_TRUE(A == nullptr);
  EXPECT_LT((matrix_of(product) - matrix_of(dft()) * before).norm(), rounding);
  EXPECT_LT((matrix_of(blocks).topLeftCorner(30, 15) - before).norm(), rounding);
}

TEST(Operator, RefusesShapesThatDoNotFitAndEmptyHandles) {
  EXPECT_THROW(sense() * sense(), ShapeError);
  EXPECT_THROW(sense() + sense().adjoint(), ShapeError);
  EXPECT_THROW(stack(sense(), dft()), ShapeError);
  EXPECT_THROW(stack(std::vector<Operator<double>>()), ShapeError);
  const Operator<double> none;
  EXPECT_FALSE(none);
  EXPECT_THROW(none.domain(), ValueError);
  EXPECT_THROW(none * sense(), ValueError);
  EXPECT_THROW(stack(sense(), none), ValueError);
  EXPECT_THROW(BlockDiagonal<double>(none, 2), ValueError);
}

template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Operator, MessagesNameTheOperator) {
  const Context ctx;
  const Nufft<float> nufft(ctx, test::random_points(ctx, 7, 2), {8, 9}, 1);
  Array<std::complex<float>> x(ctx, {1, 9, 8});
  Array<std::complex<float>> y(ctx, nufft.range());
  EXPECT_EQ(message_of<ShapeError>([&] { nufft.forward(ctx, x, y); }),
            "Nufft forward: x has shape [1, 9, 8], expected [1, 8, 9]");
  Array<Complex> wrong(ctx, {3});
  EXPECT_EQ(message_of<ShapeError>([&] { encoding().forward(ctx, wrong, wrong); }),
            "Dft * Sense forward: x has shape [3], expected [3, 5]");
}

// An operator with memory on another device, which a CPU must not read.
class Elsewhere final : public LinearOperator<double> {
 public:
  Elsewhere() : LinearOperator<double>({3}, {3}, "Elsewhere", Device{DeviceKind::cuda, 0}) {}

 private:
  void do_forward(const Context&, ArrayRef<const Complex>, ArrayRef<Complex>) const override { FAIL(); }
  void do_adjoint(const Context&, ArrayRef<const Complex>, ArrayRef<Complex>) const override { FAIL(); }
};

TEST(Operator, RunsWhereItWasMade) {
  const Context ctx;
  const Operator<double> A = Elsewhere();
  Array<Complex> x(ctx, {3});
  Array<Complex> y(ctx, {3});
  EXPECT_EQ(message_of<DeviceError>([&] { A.forward(ctx, x, y); }),
            "Elsewhere forward: the operator was made for cuda:0, the context runs on cpu; make one with this context");
  EXPECT_THROW(A.adjoint(ctx, x, y), DeviceError);
  EXPECT_THROW(A.normal(ctx, x, y), DeviceError);
  EXPECT_THROW((A * A).forward(ctx, x, y), DeviceError);
  EXPECT_EQ(Nufft<float>(ctx, test::random_points(ctx, 7, 2), {8, 9}, 1).device(), Device{});
  EXPECT_EQ(message_of<ShapeError>([] { Sense<double>(Array<Complex>()); }),
            "sense: maps of shape [0], expected [coil, (z,) y, x]");
}

TEST(Operator, OverlappingArgumentsAreRefused) {
  const Context ctx;
  const Operator<double> S = sense();
  Array<Complex> memory = zeros<Complex>(ctx, {3, 3, 5});
  EXPECT_EQ(message_of<ValueError>([&] { S.forward(ctx, memory.slice(1), memory.range(0, 2)); }),
            "Sense forward: x and y overlap in memory; y needs an array of its own");
  EXPECT_THROW(S.adjoint(ctx, memory.range(0, 2), memory.slice(1)), ValueError);
  EXPECT_THROW(S.normal(ctx, memory.slice(0), memory.slice(0)), ValueError);
  EXPECT_NO_THROW(S.forward(ctx, memory.slice(2), memory.range(0, 2)));
}

TEST(Operator, SolversTakeHandles) {
  const Context ctx;
  // Least squares of data without noise: A^H A x = A^H d.
  const Operator<double> A = stack(sense(), differences());
  const auto truth = test::random_array<double>(ctx, image, 8);
  Array<Complex> data(ctx, A.range());
  A.forward(ctx, truth, data);
  Array<Complex> b(ctx, A.domain());
  A.adjoint(ctx, data, b);
  Array<Complex> x = zeros<Complex>(ctx, A.domain());
  const SolverReport report = conjugate_gradient(ctx, A.normal(), b, x, {.iterations = 100, .tolerance = 1e-12});
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  // |x - truth| <= condition * residual; sensitivities of two coils at random have a condition below 1e4.
  EXPECT_LT(test::relative_error(x, truth), 1e-8);
}

}  // namespace
}  // namespace whorl
