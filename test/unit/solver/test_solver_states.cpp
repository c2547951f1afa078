// Solvers that are interrupted at any iteration and go on from a kept state, against solvers that nothing interrupts:
// all numbers are equal, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

#include "support/compare.hpp"
#include "unit/solver/dense_system.hpp"
#include "whorl/core/error.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// Keeps the state of every iteration, and loses all after `last` calls: the program was killed then.
class MemoryStates final : public SolverStates<double> {
 public:
  explicit MemoryStates(int last = 1 << 30) : last_(last) {}

  bool is_due() override {
    ++asked_;
    return asked_ <= last_ && asked_ % 2 == 1;
  }
  void keep(const Context& ctx, const SolverState<double>& state) override {
    arrays_.clear();
    for (const ArrayRef<Complex>& array : state.arrays) arrays_.push_back(clone<Complex>(ctx, array));
    numbers_ = state.numbers;
    reports_ = state.reports;
    kept_ = true;
  }
  bool find(const Context& ctx, SolverState<double>& state) override {
    if (!kept_ || arrays_.size() != state.arrays.size()) return false;
    for (std::size_t i = 0; i < arrays_.size(); ++i) copy<Complex>(ctx, arrays_[i], state.arrays[i]);
    state.numbers = numbers_;
    state.reports = reports_;
    return true;
  }
  bool kept() const { return kept_; }
  void go_on() { last_ = 1 << 30; }

 private:
  int last_;
  int asked_ = 0;
  bool kept_ = false;
  std::vector<Array<Complex>> arrays_;
  std::vector<double> numbers_;
  std::vector<SolverReport> reports_;
};

struct Killed {};

using ResumedSolve =
    std::function<std::vector<SolverReport>(ArrayRef<Complex> x, const IterationCallback&, SolverStates<double>*)>;

void expect_equal(const SolverReport& a, const SolverReport& b, int killed_at) {
  EXPECT_EQ(a.iterations, b.iterations) << killed_at;
  EXPECT_EQ(a.residuals, b.residuals) << killed_at;
  EXPECT_EQ(a.costs, b.costs) << killed_at;
  EXPECT_EQ(a.primal_residuals, b.primal_residuals) << killed_at;
  EXPECT_EQ(a.dual_residuals, b.dual_residuals) << killed_at;
  EXPECT_EQ(a.gaps, b.gaps) << killed_at;
  EXPECT_EQ(a.changes, b.changes) << killed_at;
  EXPECT_EQ(a.operator_applications, b.operator_applications) << killed_at;
  EXPECT_EQ(a.stop_reason, b.stop_reason) << killed_at;
}

void check_resumed(const ResumedSolve& solve, const Shape& shape) {
  const Context ctx;
  auto whole = zeros<Complex>(ctx, shape);
  const std::vector<SolverReport> expected = solve(whole, {}, nullptr);
  int most = 0;
  for (const SolverReport& report : expected) most = std::max(most, report.iterations);
  ASSERT_GT(most, 6);
  for (int at = 1; at < most; ++at) {
    MemoryStates states(at);
    auto x = zeros<Complex>(ctx, shape);
    EXPECT_THROW(solve(
                     x,
                     [at](int done, double) {
                       if (done > at) throw Killed();
                     },
                     &states),
                 Killed)
        << at;
    ASSERT_TRUE(states.kept());
    states.go_on();
    std::fill(x.span().begin(), x.span().end(), Complex(7, -3));  // what the process had is lost
    int first = 0;
    const std::vector<SolverReport> found = solve(
        x,
        [&first](int done, double) {
          if (first == 0) first = done;
        },
        &states);
    // After the last odd one, which the solvers of dual variables keep before they tell of it.
    EXPECT_GE(first, at - 1 + at % 2);
    EXPECT_LE(first, at + 1);
    EXPECT_TRUE(std::equal(x.span().begin(), x.span().end(), whole.span().begin())) << at;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) expect_equal(found[i], expected[i], at);
  }
}

// Systems of very different length: some have dropped out, and others taken their places, when the state is kept.
TEST(SolverStates, OfConjugateGradients) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(16, 12);
  const test::Matrix eigenvectors = test::eigenvectors(A);
  auto b = test::random_array<double>(ctx, {5, 12}, 21);
  std::fill(b.slice(0).span().begin(), b.slice(0).span().end(), Complex(0));
  Eigen::Map<test::Vector>(b.slice(1).data(), 12) = eigenvectors.col(7);
  Eigen::Map<test::Vector>(b.slice(3).data(), 12) = eigenvectors.col(3) + eigenvectors.col(9) + eigenvectors.col(5);
  const NormalOfSystems<double> some = [&](const Context& c, std::span<const Index> systems, ArrayRef<const Complex> p,
                                           ArrayRef<Complex> q) {
    for (Index i = 0; i < std::ssize(systems); ++i) test::as_function(A)(c, p.slice(i), q.slice(i));
  };
  check_resumed(
      [&](ArrayRef<Complex> x, const IterationCallback& callback, SolverStates<double>* states) {
        return conjugate_gradients<double>(ctx, some, b, x, {.iterations = 40, .tolerance = 1e-9}, callback, states);
      },
      {5, 12});
}

// min <x, H x> / 2 - Re <b, x> + |x|_1 / 50, by each solver of proximal problems.
class ProximalStates : public ::testing::Test {
 protected:
  ProximalStates() : H_(test::random_normal_matrix(17, 14)), b_(test::random_array<double>(ctx_, {14}, 8)) {
    H_ /= test::eigenvalues(H_).maxCoeff();
  }

  QuadraticFunction<double> f() const { return {test::as_function(H_), b_, 0, 1}; }
  static Complex shrink(Complex v, double t) { return std::abs(v) > t ? v * (1 - t / std::abs(v)) : 0; }
  static Complex project(Complex v) { return std::abs(v) > weight ? v * (weight / std::abs(v)) : v; }

  std::vector<DualTerm<double>> terms() const {
    DualTerm<double> term;
    term.range = {14};
    term.step = [](const Context&, double sigma, Index, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
      DualTerm<double>::Sums sums;
      for (Index i = 0; i < x.size(); ++i) {
        const Complex before = y.data()[i];
        y.data()[i] = project(before + sigma * x.data()[i]);
        sums.change += std::norm(y.data()[i] - before);
        sums.value += weight * std::abs(x.data()[i]);
      }
      return sums;
    };
    term.add_adjoint = [](const Context&, ArrayRef<const Complex> y, ArrayRef<Complex> sum) {
      for (Index i = 0; i < y.size(); ++i) sum.data()[i] += y.data()[i];
    };
    term.add_normal = [](const Context&, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
      for (Index i = 0; i < x.size(); ++i) sum.data()[i] += factor * x.data()[i];
    };
    return {term};
  }

  static constexpr double weight = 0.02;
  const Context ctx_;
  test::Matrix H_;
  Array<Complex> b_;
};

// Resumes with versions too: thresholds that alternate.
TEST_F(ProximalStates, OfFista) {
  for (const bool versions : {false, true}) {
    const ProximalStep<double> g{[versions](const Context&, double t, Index pass, ArrayRef<Complex> x) {
                                   const double by = versions ? weight * (0.5 + static_cast<double>(pass % 2)) : weight;
                                   double value = 0;
                                   for (Complex& v : x.span()) value += by * std::abs(v = shrink(v, t * by));
                                   return value;
                                 },
                                 [](const Context&, ArrayRef<const Complex> x) {
                                   double value = 0;
                                   for (const Complex v : x.span()) value += weight * std::abs(v);
                                   return value;
                                 },
                                 versions};
    check_resumed(
        [&](ArrayRef<Complex> x, const IterationCallback& callback, SolverStates<double>* states) {
          return std::vector{fista<double>(ctx_, f(), g, x, {60, 1e-8}, callback, states)};
        },
        {14});
  }
}

TEST_F(ProximalStates, OfAdmm) {
  check_resumed(
      [&](ArrayRef<Complex> x, const IterationCallback& callback, SolverStates<double>* states) {
        return std::vector{admm<double>(ctx_, f(), terms(), x, AdmmOptions{{60, 1e-8}}, callback, {}, nullptr, states)};
      },
      {14});
}

// Its step follows the residuals from iteration 20.
TEST_F(ProximalStates, OfPrimalDual) {
  check_resumed(
      [&](ArrayRef<Complex> x, const IterationCallback& callback, SolverStates<double>* states) {
        return std::vector{
            primal_dual<double>(ctx_, f(), terms(), x, PrimalDualOptions{{60, 1e-8}}, callback, nullptr, states)};
      },
      {14});
}

TEST_F(ProximalStates, RefuseThoseOfAnotherSolver) {
  MemoryStates states;
  auto x = zeros<Complex>(ctx_, {14});
  fista<double>(ctx_, f(),
                {[](const Context&, double, Index, ArrayRef<Complex>) { return 0.0; },
                 [](const Context&, ArrayRef<const Complex>) { return 0.0; }},
                x, {4, 0}, {}, &states);
  ASSERT_TRUE(states.kept());
  // ADMM has four arrays as well: x, gradient, sum and one dual variable.
  EXPECT_THROW(admm<double>(ctx_, f(), terms(), x, AdmmOptions{{4, 0}}, {}, {}, nullptr, &states), ValueError);
}

}  // namespace
}  // namespace whorl
