// FISTA, primal-dual and ADMM against small problems that are solved independently.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "unit/solver/dense_system.hpp"
#include "whorl/core/error.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {
namespace {

using test::Matrix;
using test::Vector;
using Complex = std::complex<double>;

constexpr Index size = 14;

// |v| made smaller by t, in phase.
Complex shrink(Complex v, double t) { return std::abs(v) > t ? v * (1 - t / std::abs(v)) : 0; }
Complex project(Complex v, double radius) { return std::abs(v) > radius ? v * (radius / std::abs(v)) : v; }

// min <x, H x> / 2 - Re <b, x> + lambda sum |W x|, H with eigenvalues in (0, 1].
struct Problem {
  Matrix H;
  Matrix W;  // of norm 1
  Vector b;
  double lambda = 0.02;

  double cost(const Vector& x) const {
    return 0.5 * x.dot(H * x).real() - b.dot(x).real() + lambda * (W * x).cwiseAbs().sum();
  }
};

Problem make_problem(Matrix W) {
  Problem problem;
  problem.H = test::random_normal_matrix(size + 3, size);
  problem.H /= test::eigenvalues(problem.H).maxCoeff();
  problem.W = std::move(W);
  problem.b = Vector(size);
  for (Index i = 0; i < size; ++i) {
    problem.b[i] = {random_normal(8, static_cast<std::uint64_t>(i)), random_normal(9, static_cast<std::uint64_t>(i))};
  }
  problem.b *= 0.1;
  return problem;
}

Matrix differences() {
  Matrix W = Matrix::Zero(size - 1, size);
  for (Index i = 0; i + 1 < size; ++i) {
    W(i, i) = -0.5;
    W(i, i + 1) = 0.5;
  }
  return W;
}

// The dual problem: min <b - W^H y, H^-1 (b - W^H y)> / 2 over |y| <= lambda, by many projected gradient steps in double.
// Its minimizer gives x = H^-1 (b - W^H y). No solver under test works this way.
Vector reference(const Problem& problem) {
  const Matrix inverse = test::inverse(problem.H);
  const Matrix quadratic = problem.W * inverse * problem.W.adjoint();
  const double largest = test::eigenvalues(quadratic).maxCoeff();
  const Vector linear = problem.W * (inverse * problem.b);
  Vector y = Vector::Zero(problem.W.rows());
  for (int step = 0; step < 200000; ++step) {
    y += (linear - quadratic * y) / largest;
    for (Complex& value : y) value = project(value, problem.lambda);
  }
  return inverse * (problem.b - problem.W.adjoint() * y);
}

Eigen::Map<const Vector> as_vector(ArrayRef<const Complex> x) { return {x.data(), x.size()}; }
Eigen::Map<Vector> as_vector(ArrayRef<Complex> x) { return {x.data(), x.size()}; }

DualTerm<double> term_of(const Problem& problem) {
  return {
      .range = {problem.W.rows()},
      .norm = 1,
      .step =
          [&](const Context&, double sigma, Index, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
            const Vector image = problem.W * as_vector(x);
            const Vector old = as_vector(y);
            as_vector(y) += sigma * image;
            for (Complex& value : y.span()) value = project(value, problem.lambda);
            return DualTerm<double>::Sums{problem.lambda * image.cwiseAbs().sum(), (as_vector(y) - old).squaredNorm()};
          },
      .add_adjoint = [&](const Context&, ArrayRef<const Complex> y,
                         ArrayRef<Complex> sum) { as_vector(sum) += problem.W.adjoint() * as_vector(y); },
      .add_normal =
          [&](const Context&, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
            as_vector(sum) += factor * (problem.W.adjoint() * (problem.W * as_vector(x)));
          }};
}

using Solve =
    std::function<SolverReport(const Context&, const QuadraticFunction<double>&, const Problem&, ArrayRef<Complex> x)>;

// A residual of 1e-10 bounds the error of x by about 1e-10 |b| / (least eigenvalue), here below 1e-7.
void expect_solution(const Problem& problem, const Solve& solve) {
  const Context ctx;
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  Array<Complex> x = zeros<Complex>(ctx, {size});
  const SolverReport report = solve(ctx, {test::as_function(problem.H), b, 0.0, 1.0}, problem, x);
  const Vector expected = reference(problem);
  EXPECT_LT((as_vector(x.ref()) - expected).norm(), 1e-6 * expected.norm());
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  // The report's cost is that of the iterates, by another path than the sums here.
  ASSERT_EQ(report.costs.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_NEAR(report.costs.front(), 0, 1e-15);
  EXPECT_NEAR(report.costs.back(), problem.cost(expected), 1e-9 * std::abs(problem.cost(expected)));
  EXPECT_EQ(report.residuals.size(), report.costs.size());
}

SolverReport by_fista(const Context& ctx, const QuadraticFunction<double>& f, const Problem& problem,
                      ArrayRef<Complex> x) {
  const ProximalStep<double> g{[&](const Context&, double step, Index, ArrayRef<Complex> point) {
                                 for (Complex& value : point.span()) value = shrink(value, step * problem.lambda);
                                 return problem.lambda * as_vector(point).cwiseAbs().sum();
                               },
                               [&](const Context&, ArrayRef<const Complex> point) {
                                 return problem.lambda * as_vector(point).cwiseAbs().sum();
                               }};
  return fista<double>(ctx, f, g, x, {20000, 1e-10});
}

SolverReport by_primal_dual(const Context& ctx, const QuadraticFunction<double>& f, const Problem& problem,
                            ArrayRef<Complex> x) {
  return primal_dual<double>(ctx, f, {term_of(problem)}, x, PrimalDualOptions{{200000, 1e-10}});
}

SolverReport by_admm(const Context& ctx, const QuadraticFunction<double>& f, const Problem& problem,
                     ArrayRef<Complex> x) {
  return admm<double>(ctx, f, {term_of(problem)}, x, AdmmOptions{{20000, 1e-10}});
}

// With inner systems solved roughly, by a preconditioner that is the diagonal of the matrix but for an error of 30 %, and a
// proximal term for a third of the unknowns.
SolverReport by_relaxed_admm(const Context& ctx, const QuadraticFunction<double>& f, const Problem& problem,
                             ArrayRef<Complex> x) {
  AdmmOptions options{{20000, 1e-10}};
  options.relaxation = 1.6;
  options.inner_tolerance = 0.3;
  Vector factors = Vector::Ones(size);
  Vector held = Vector::Zero(size);
  const Matrix normal = problem.W.adjoint() * problem.W;
  const InnerPreconditioner<double> preconditioner{
      [&](const Context&, double rho) {
        for (Index i = 0; i < size; ++i) {
          const double wrong = 1 + 0.3 * std::sin(3.0 * static_cast<double>(i));
          held(i) = i % 3 == 0 ? 0.3 * rho : 0;
          factors(i) = wrong / (problem.H(i, i) + rho * normal(i, i) + held(i)).real();
        }
      },
      [&](const Context&, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
        as_vector(q) = as_vector(p).cwiseProduct(factors);
      },
      [&](const Context&, double factor, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
        as_vector(q) += factor * as_vector(p).cwiseProduct(held);
      }};
  return admm<double>(ctx, f, {term_of(problem)}, x, options, {}, preconditioner);
}

TEST(ProximalSolvers, ReachTheOptimumOfMagnitudes) {
  const Problem problem = make_problem(Matrix::Identity(size, size));
  for (const Solve& solve : {Solve(by_fista), Solve(by_primal_dual), Solve(by_admm), Solve(by_relaxed_admm)})
    expect_solution(problem, solve);
}

TEST(ProximalSolvers, ReachTheOptimumOfDifferences) {
  const Problem problem = make_problem(differences());
  for (const Solve& solve : {Solve(by_primal_dual), Solve(by_admm), Solve(by_relaxed_admm)}) {
    expect_solution(problem, solve);
  }
}

// Magnitudes in several orthonormal bases, their mean, of which each pass takes one. FISTA's steps go to the minimum of f and
// the proximal average of the versions, which is at most M^2 / (2 L) below their mean, M the Lipschitz constant of a version
// (Yu, NIPS 26 (2013) 458): here lambda sqrt(size), and L = 1. What the passes differ by has to add no more.
TEST(ProximalSolvers, FistaMinimizesTheMeanOfVersions) {
  constexpr Index versions = 4;
  Problem problem = make_problem(Matrix::Zero(versions * size, size));
  problem.lambda = 0.04;
  std::vector<Matrix> bases;
  for (Index v = 0; v < versions; ++v) {
    const Matrix random = test::random_normal_matrix(size + 3, size) +
                          Matrix::Identity(size, size) * (1.0 + 2.0 * static_cast<double>(v));
    Vector diagonal(size);
    for (Index i = 0; i < size; ++i) diagonal(i) = std::polar(1.0, 0.7 * static_cast<double>(v * i * i));
    bases.emplace_back(test::orthonormal_basis(diagonal.asDiagonal() * random));
    problem.W.middleRows(v * size, size) = bases.back() / static_cast<double>(versions);
  }
  const auto version_of = [&](Index pass) { return bases.at(static_cast<std::size_t>(pass % versions)); };
  ProximalStep<double> g{[&](const Context&, double step, Index pass, ArrayRef<Complex> point) {
                           const Matrix& basis = version_of(pass);
                           Vector coefficients = basis * as_vector(point);
                           for (Complex& value : coefficients) value = shrink(value, step * problem.lambda);
                           as_vector(point) = basis.adjoint() * coefficients;
                           return problem.lambda * coefficients.cwiseAbs().sum();
                         },
                         [&](const Context&, ArrayRef<const Complex> point) {
                           return problem.lambda * (bases.front() * as_vector(point)).cwiseAbs().sum();
                         },
                         true};
  const Context ctx;
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  const double least = problem.cost(reference(problem));
  const auto above = [&](double tolerance, int iterations, SolverReport& report) {
    Array<Complex> x = zeros<Complex>(ctx, {size});
    report = fista<double>(ctx, {test::as_function(problem.H), b, 0.0, 1.0}, g, x, {iterations, tolerance});
    return problem.cost(as_vector(x.ref())) - least;
  };
  const double bound = problem.lambda * problem.lambda * size / 2;
  SolverReport report;
  const double at_end = above(1e-4, 20000, report);
  std::printf("mean of %d versions: %d iterations, value %.2e above the least, bound %.2e, least %.3e\n",
              static_cast<int>(versions), report.iterations, at_end, bound, least);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  EXPECT_LT(at_end, bound);
  // The optimum of one version alone is farther away than the bound.
  g.has_versions = false;
  bases.assign(versions, Matrix(bases.front()));
  EXPECT_GT(above(1e-8, 20000, report), bound);
}

// From any start: the dual variables begin at 0, so that a first step must not be lost.
TEST(ProximalSolvers, StartWhereTheyAreTold) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  const Vector expected = reference(problem);
  Array<Complex> x(ctx, {size});
  as_vector(x.ref()) = 3.0 * problem.b.reverse();
  const SolverReport report = by_admm(ctx, {test::as_function(problem.H), b, 0.0, 1.0}, problem, x);
  EXPECT_LT((as_vector(x.ref()) - expected).norm(), 1e-6 * expected.norm());
  EXPECT_NEAR(report.costs.front(), problem.cost(3.0 * problem.b.reverse()), 1e-12);

  const Problem magnitudes = make_problem(Matrix::Identity(size, size));
  as_vector(b.ref()) = magnitudes.b;
  as_vector(x.ref()) = 3.0 * magnitudes.b.reverse();
  const SolverReport by_steps = by_fista(ctx, {test::as_function(magnitudes.H), b, 0.0, 1.0}, magnitudes, x);
  EXPECT_NEAR(by_steps.costs.front(), magnitudes.cost(3.0 * magnitudes.b.reverse()), 1e-12);
}

// Numbers times a power of two are rounded alike: a solver does the same to the bit.
TEST(ProximalSolvers, DoTheSameAtAnyScaleOfTheData) {
  const Context ctx;
  for (const Solve& solve : {Solve(by_fista), Solve(by_primal_dual), Solve(by_admm), Solve(by_relaxed_admm)}) {
    const auto solution = [&](double scale) {
      Problem problem = make_problem(Matrix::Identity(size, size));
      problem.b *= scale;
      problem.lambda *= scale;
      Array<Complex> b(ctx, {size});
      as_vector(b.ref()) = problem.b;
      Array<Complex> x = zeros<Complex>(ctx, {size});
      const SolverReport report = solve(ctx, {test::as_function(problem.H), b, 0.0, 1.0}, problem, x);
      return std::pair{report.iterations, Vector(as_vector(x.ref()) / scale)};
    };
    const auto [iterations, x] = solution(1);
    for (const double scale : {std::ldexp(1.0, -20), std::ldexp(1.0, 20)}) {
      const auto [scaled_iterations, scaled_x] = solution(scale);
      EXPECT_EQ(scaled_iterations, iterations) << scale;
      EXPECT_EQ(scaled_x, x) << scale;
    }
  }
}

// From x and the dual variables of a solve there is nothing left to do; with x alone there is.
TEST(ProximalSolvers, StartFromDualVariables) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  const QuadraticFunction<double> f{test::as_function(problem.H), b, 0.0, 1.0};
  for (const bool by_admm : {false, true}) {
    Array<Complex> x = zeros<Complex>(ctx, {size});
    const auto run = [&](DualStart<double>* start) {
      return by_admm ? admm<double>(ctx, f, {term_of(problem)}, x, AdmmOptions{{20000, 1e-8}}, {}, {}, start)
                     : primal_dual<double>(ctx, f, {term_of(problem)}, x, PrimalDualOptions{{200000, 1e-8}}, {}, start);
    };
    DualStart<double> start;
    EXPECT_GT(run(&start).iterations, 10);
    EXPECT_LE(run(&start).iterations, 2);
    EXPECT_GT(run(nullptr).iterations, 2);
    start.duals.front() = zeros<Complex>(ctx, {size});
    EXPECT_THROW(run(&start), ShapeError);
  }
}

// The gap bounds how far the cost is from its least value, where x is nearer to the minimizer than to 0.
TEST(ProximalSolvers, GapsBoundTheCost) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  const QuadraticFunction<double> f{test::as_function(problem.H), b, 0.0, 1.0};
  const double least = problem.cost(reference(problem));
  for (const bool by_admm : {false, true}) {
    Array<Complex> x = zeros<Complex>(ctx, {size});
    const SolverReport report =
        by_admm ? admm<double>(ctx, f, {term_of(problem)}, x, AdmmOptions{{20000, 1e-8}})
                : primal_dual<double>(ctx, f, {term_of(problem)}, x, PrimalDualOptions{{200000, 1e-8}});
    ASSERT_EQ(report.gaps.size(), report.costs.size());
    for (std::size_t i = 0; i < report.gaps.size(); ++i) {
      EXPECT_GE(report.gaps[i], -1e-12);
      // The first images are nearer to 0.
      if (report.costs[i] - least < 0.05 * (report.costs.front() - least)) {
        EXPECT_GE(report.gaps[i], report.costs[i] - least - 1e-12);
      }
    }
    EXPECT_LT(report.gaps.back(), 1e-6);
  }
}

TEST(ProximalSolvers, StopWhereLittleChanges) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  Array<Complex> x = zeros<Complex>(ctx, {size});
  const QuadraticFunction<double> f{test::as_function(problem.H), b, 0.0, 1.0};
  const SolverReport report = primal_dual<double>(ctx, f, {term_of(problem)}, x, PrimalDualOptions{{200000, 0, 1e-5}});
  EXPECT_EQ(report.stop_reason, StopReason::change);
  EXPECT_LE(report.changes.back(), 1e-5);
  EXPECT_GT(report.changes[report.changes.size() - 2], 1e-5);
  EXPECT_THROW(primal_dual<double>(ctx, f, {term_of(problem)}, x, PrimalDualOptions{{10, 0, -1}}), ValueError);
}

TEST(ProximalSolvers, AreStoppedByTheCallback) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  Array<Complex> x = zeros<Complex>(ctx, {size});
  const QuadraticFunction<double> f{test::as_function(problem.H), b, 0.0, 1.0};
  const SolverReport report =
      admm<double>(ctx, f, {term_of(problem)}, x, AdmmOptions{{50, 0}}, [](int done, double) { return done < 3; });
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.stop_reason, StopReason::callback);
}

TEST(ProximalSolvers, RefuseWhatMakesNoSense) {
  const Context ctx;
  const Problem problem = make_problem(differences());
  Array<Complex> b(ctx, {size});
  as_vector(b.ref()) = problem.b;
  Array<Complex> x = zeros<Complex>(ctx, {size});
  Array<Complex> short_x = zeros<Complex>(ctx, {size - 1});
  const QuadraticFunction<double> f{test::as_function(problem.H), b, 0.0, 1.0};
  const std::vector<DualTerm<double>> terms{term_of(problem)};
  EXPECT_THROW(admm<double>(ctx, f, terms, short_x), ShapeError);
  EXPECT_THROW(admm<double>(ctx, f, terms, b), ValueError);
  EXPECT_THROW(admm<double>(ctx, f, terms, x, AdmmOptions{{-1, 1e-4}}), ValueError);
  EXPECT_THROW(admm<double>(ctx, f, terms, x, AdmmOptions{{10, 1e-4}, 0}), ValueError);
  EXPECT_THROW(admm<double>(ctx, f, terms, x, AdmmOptions{{10, 1e-4}, 0.1, 2}), ValueError);
  AdmmOptions endless{{10, 1e-4}};
  endless.inner_tolerance = 0;
  EXPECT_THROW(admm<double>(ctx, f, terms, x, endless), ValueError);
  EXPECT_THROW(primal_dual<double>(ctx, f, terms, x, PrimalDualOptions{{10, 1e-4}, -1}), ValueError);
  const QuadraticFunction<double> flat{test::as_function(problem.H), b, 0.0, 0.0};
  EXPECT_THROW(primal_dual<double>(ctx, flat, terms, x), ValueError);
  as_vector(b.ref())[2] = std::nan("");
  EXPECT_THROW(admm<double>(ctx, f, terms, x), ValueError);
}

}  // namespace
}  // namespace whorl
