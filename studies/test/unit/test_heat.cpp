#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "studies/amdahl.hpp"
#include "studies/heat/adi_steps.hpp"
#include "studies/heat/claim.hpp"
#include "studies/heat/orders.hpp"
#include "support/device.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::heat {
namespace {

constexpr double double_eps = std::numeric_limits<double>::epsilon();
constexpr double float_eps = std::numeric_limits<float>::epsilon();

template <class To>
Array<To> converted(const Context& ctx, const Array<double>& values) {
  Array<To> result(ctx.host(), values.shape());
  for (Index i = 0; i < values.size(); ++i) result.data()[i] = static_cast<To>(values.data()[i]);
  return clone(ctx, result.ref());
}

double root_mean_square(const Array<double>& values) {
  double total = 0;
  for (const double value : values.span()) total += value * value;
  return std::sqrt(total / static_cast<double>(values.size()));
}

// The plain loops against the closed form. Some ten roundings a step, of numbers of at most 4, as explicit steps' sums
// of neighbors are; with steps that make nothing larger they add up.
TEST(HeatSchemes, LoopsGiveTheClosedForm) {
  const Context host = test::device_context().host();
  const auto check = [&](const Setting& setting, Scheme scheme) {
    const Array<double> u = solve(host, setting, scheme);
    const Array<double> expected = temperature(host, setting, discrete_decay(setting, scheme));
    const double bound = 40 * double_eps * static_cast<double>(setting.steps) / root_mean_square(expected);
    EXPECT_LT(relative_error(u, expected), bound) << static_cast<int>(scheme) << " " << setting.axes;
  };
  for (const int axes : {1, 2}) {
    check({Domain::walls, axes, 17, 0.2, 9}, Scheme::explicit_euler);
    check({Domain::walls, axes, 16, 3.5, 4}, Scheme::implicit_euler);
    check({Domain::walls, axes, 17, 3.5, 4}, Scheme::crank_nicolson);
  }
  check({Domain::torus, 2, 17, 0.24, 9}, Scheme::explicit_euler);
}

TEST(HeatSchemes, DecaysAreThoseOfTheDifferences) {
  const Setting setting{Domain::walls, 1, 3, 0.125, 1};
  // n = 3: the modes sin(pi k (i + 1)/4) have the eigenvalues -2 + 2 cos(pi k/4).
  for (const int k : {1, 2, 3}) {
    const double eigenvalue = -2 + 2 * std::cos(k * std::acos(-1.0) / 4);
    EXPECT_NEAR(discrete_decay(setting, Scheme::explicit_euler)(k, 0), 1 + 0.125 * eigenvalue, 4 * double_eps);
    EXPECT_NEAR(discrete_decay(setting, Scheme::implicit_euler)(k, 0), 1 / (1 - 0.125 * eigenvalue), 4 * double_eps);
    EXPECT_NEAR(grid_decay(setting)(k, 0), std::exp(0.125 * eigenvalue), 4 * double_eps);
    EXPECT_NEAR(continuous_decay(setting)(k, 0), std::exp(-std::pow(k * std::acos(-1.0), 2) * 0.125 / 16),
                4 * double_eps);
  }
}

// Orders of the last two refinements: 2 in space, but 1 for Euler's implicit steps, whose length goes with h; in time 1
// for Euler's steps and 2 for Crank and Nicolson's. The next terms of the errors are smaller by a factor that is 4 (or
// 2) times less with each refinement: what remains of it here is below a tenth (a fifth for the mixed one).
TEST(HeatOrders, AreThoseOfTheSchemes) {
  const Context host = test::device_context().host();
  const auto last_order = [](const Table& table, std::size_t scheme) {
    return std::get<double>(table.rows[4 * scheme + 3][5]);
  };
  const Table space = space_orders(host);
  const Table time = time_orders(host);
  ASSERT_EQ(space.rows.size(), 20U);
  ASSERT_EQ(time.rows.size(), 20U);
  const std::array<double, 5> in_space{2, 1, 2, 2, 2};
  const std::array<double, 5> in_time{1, 1, 2, 1, 2};
  for (std::size_t scheme = 0; scheme < 5; ++scheme) {
    EXPECT_NEAR(last_order(space, scheme), in_space[scheme], scheme == 1 ? 0.2 : 0.1) << scheme;
    EXPECT_NEAR(last_order(time, scheme), in_time[scheme], 0.1) << scheme;
  }
  for (const Table* const table : {&space, &time}) {
    for (const auto& row : table->rows) {
      EXPECT_LT(std::get<double>(row[7]), 1e-3 * std::get<double>(row[4])) << "rounding hides the error";
    }
  }
}

Array<double> random_plane(const Context& host, Index n) {
  Array<double> plane(host, {n, n});
  for (Index i = 0; i < n * n; ++i) {
    // As it is in float.
    plane.data()[i] = static_cast<float>(2 * random_uniform(11, static_cast<std::uint64_t>(i)) - 1);
  }
  return plane;
}

Array<double> explicit_in_double(const Context& host, const Array<double>& first, Index n, double rate, Index steps) {
  Array<double> now = clone(host, first.ref());
  for (Index step = 0; step < steps; ++step) {
    const Array<double> u = clone(host, now.ref());
    const auto at = [&](Index y, Index x) { return u.data()[(y + n) % n * n + (x + n) % n]; };
    for (Index y = 0; y < n; ++y) {
      for (Index x = 0; x < n; ++x) {
        now.data()[y * n + x] += rate * (at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x) - 4 * at(y, x));
      }
    }
  }
  return now;
}

// Numbers of at most 1: the sum of the neighbors is off by (1 + 1 + 2) eps with its three roundings, the difference by
// 2 eps more, times the rate of 3/16 with a rounding of 1/2 eps, and the last sum by eps/2: below 3 eps a step, and the
// steps make no error larger (3/16 < 1/4). Tiles of 64 points with margins of 8, bands of 64 rows, blocks of 32 x 8.
TEST(HeatPlane, EveryStepIsThatOfTheDifferences) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const std::vector<PlaneStep> steps = plane_steps(ctx);
  ASSERT_EQ(steps.size(), 7U);
  for (const Index n : {8, 37, 131}) {
    const Array<double> first = random_plane(host, n);
    const Array<float> start = converted<float>(ctx, first);
    for (const Index count : {1, 8, 19}) {
      const Array<double> expected = explicit_in_double(host, first, n, 0.1875, count);
      for (const PlaneStep& step : steps) {
        SCOPED_TRACE(testing::Message() << step.name << ", " << n << " points, " << count << " steps");
        Array<float> last(ctx, {n, n});
        step.run(ctx, {start, last, n, 0.1875F, count});
        const Array<float> here = to_host(ctx, last.ref());
        double largest = 0;
        for (Index i = 0; i < n * n; ++i) {
          largest = std::max(largest, std::abs(static_cast<double>(here.data()[i]) - expected.data()[i]));
        }
        EXPECT_LT(largest, 3 * float_eps * static_cast<double>(count));
      }
    }
  }
}

// All numbers of elimination and reduction are positive, and each point hears of those k further by a factor below
// 1/2^k (a = 2): rounding errors of 3/2 eps a point and pass add up to 6 eps max|u|, in 2 w - u to 13 eps. In l2 the
// steps make no error larger. 30 eps a step for both axes, of numbers of at most 2, and as much for levels of the
// reduction that are left out.
constexpr double implicit_bound = 60;

TEST(HeatPlane, AlternatingDirectionsGiveTheClosedForm) {
  const Context ctx = test::device_context();
  const std::vector<PlaneStep> steps = adi_steps(ctx);
  ASSERT_EQ(steps.size(), 5U);
  for (const Index n : {9, 40, 131}) {
    for (const Index count : {1, 3}) {
      const Setting setting{Domain::walls, 2, n, 4, count};
      const Array<float> start = converted<float>(ctx, first_temperature(ctx.host(), setting));
      const Array<double> expected = temperature(ctx.host(), setting, discrete_decay(setting, Scheme::crank_nicolson));
      for (const PlaneStep& step : steps) {
        Array<float> last(ctx, {n, n});
        step.run(ctx, {start, last, n, 4.0F, count});
        EXPECT_LT(relative_error(to_host(ctx, last.ref()), expected),
                  implicit_bound * float_eps * static_cast<double>(count) / root_mean_square(expected))
            << step.name << ", " << n << " points, " << count << " steps";
      }
    }
  }
}

TEST(HeatLine, ImplicitStepsGiveTheClosedForm) {
  const Context ctx = test::device_context();
  const std::vector<LineStep> steps = line_steps(ctx);
  ASSERT_EQ(steps.size(), 4U);
  for (const Index n : {9, 100, 1000}) {
    for (const Scheme scheme : {Scheme::implicit_euler, Scheme::crank_nicolson}) {
      const Setting setting{Domain::walls, 1, n, scheme == Scheme::implicit_euler ? 2.0 : 4.0, 3};
      const Array<double> start = clone(ctx, first_temperature(ctx.host(), setting));
      const Array<double> expected = temperature(ctx.host(), setting, discrete_decay(setting, scheme));
      for (const LineStep& step : steps) {
        Array<double> last(ctx, {n});
        step.run(ctx, {start, last, rule_of(scheme, setting.rate), setting.steps});
        const double eps = step.product ? float_eps : double_eps;
        EXPECT_LT(relative_error(to_host(ctx, last.ref()), expected),
                  implicit_bound * eps * static_cast<double>(setting.steps) / root_mean_square(expected))
            << step.name << ", " << n << " points";
      }
    }
  }
}

TEST(HeatClaim, IsTheSumUnderTheBar) {
  const Table table = claim_table(5);
  ASSERT_EQ(table.rows.size(), 4U);
  // Published with three digits.
  EXPECT_NEAR(std::get<double>(table.rows[0][3]), 1 / amdahl(0.087, 1920), 5e-4);
  EXPECT_GT(std::get<double>(table.rows[0][2]), 1.09);
  EXPECT_EQ(std::get<double>(table.rows[2][2]), 1920);
  EXPECT_EQ(std::get<double>(table.rows[3][2]), 5);
}

}  // namespace
}  // namespace whorl::studies::heat
