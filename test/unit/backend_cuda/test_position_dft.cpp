// The exact sums between samples and arbitrary positions on a GPU, against the CPU's in double.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/position_dft.hpp"

namespace whorl {
namespace {

using Wide = std::complex<double>;

Array<double> random_positions(const Context& ctx, Index count, int dim, double extent) {
  auto r = test::random_points(ctx, count, dim, 77);
  for (double& value : r.span()) value *= extent;
  return r;
}

// Float: a phase is rounded three times by 2^-24 turns, 1.1e-6; its angle is right to 1e-6, the special function units
// to 2^-21.4 and 2^-21.2, 6e-7 together (CUDA's programming guide), and the phase of a weight to 3 eps, 4e-7. Double:
// what the CPU's is held to.
template <class Real>
constexpr double term = sizeof(Real) == 4 ? 3.5e-6 : 1.7e-14;

template <class Real>
void check(ArrayRef<const double> k, ArrayRef<const double> r, Index coils) {
  SCOPED_TRACE(testing::Message() << k.extent(0) << " samples, " << r.extent(0) << " positions, " << k.extent(1)
                                  << " axes, " << coils << " coils");
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const PositionDft<Real> op(ctx, k, r, coils);
  const PositionDft<double> oracle(host, k, r, coils);
  const auto x = test::random_array<Real>(host, op.domain(), 1);
  const auto y = test::random_array<Real>(host, op.range(), 2);
  Array<Wide> wide_x(host, op.domain());
  Array<Wide> wide_y(host, op.range());
  for (std::size_t i = 0; i < x.span().size(); ++i) wide_x.span()[i] = Wide(x.span()[i]);
  for (std::size_t i = 0; i < y.span().size(); ++i) wide_y.span()[i] = Wide(y.span()[i]);
  Array<std::complex<Real>> forward(ctx, op.range());
  Array<std::complex<Real>> adjoint(ctx, op.domain());
  op.forward(ctx, clone(ctx, x.ref()), forward);
  op.adjoint(ctx, clone(ctx, y.ref()), adjoint);
  Array<Wide> expected_forward(host, op.range());
  Array<Wide> expected_adjoint(host, op.domain());
  oracle.forward(host, wide_x, expected_forward);
  oracle.adjoint(host, wide_y, expected_adjoint);
  EXPECT_LT(test::relative_error(to_host(ctx, forward.ref()), expected_forward), term<Real>);
  EXPECT_LT(test::relative_error(to_host(ctx, adjoint.ref()), expected_adjoint), term<Real>);
}

TEST(CudaPositionDft, SizesAroundTilesChunksAndGroupsOfCoils) {
  const Context host = test::device_context().host();
  struct Case {
    Index samples, positions, coils;
    int dim;
  };
  for (const auto& [samples, positions, coils, dim] :
       {Case{3, 2, 1, 3}, Case{2, 2, 1, 2}, Case{257, 65, 3, 3}, Case{256, 64, 4, 2}, Case{31, 211, 2, 1},
        Case{515, 1079, 5, 3}, Case{3001, 300, 1, 3}, Case{100, 20000, 1, 3}, Case{8, 300, 9, 2}}) {
    const auto k = test::random_points(host, samples, dim);
    const auto r = random_positions(host, positions, dim, 200);
    check<float>(k, r, coils);
    check<double>(k, r, coils);
  }
}

TEST(CudaPositionDft, EveryTermIsRightHoweverManyTurns) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  // Many turns; eighths of turns, among them half turns; far from all else; equal positions.
  for (const double extent : {0.0, 8.0, 1e3, 4e5, 4e7}) {
    SCOPED_TRACE(extent);
    auto k = test::random_points(host, 40, 3);
    auto r = random_positions(host, 50, 3, extent);
    for (Index i = 0; i < 3 * 20; ++i) {
      k.data()[3 * 20 + i] = std::round(8 * k.data()[3 * 20 + i]) / 8;
      r.data()[3 * 20 + i] = std::round(r.data()[3 * 20 + i]);
    }
    const PositionDft<float> narrow(ctx, k, r, 1);
    const PositionDft<double> wide(ctx, k, r, 1);
    const PositionDft<double> oracle(host, k, r, 1);
    for (const Index j : {0, 1, 17, 23, 39}) {
      auto y = zeros<std::complex<float>>(host, {1, 40});
      auto wide_y = zeros<Wide>(host, {1, 40});
      y.data()[j] = 1;
      wide_y.data()[j] = 1;
      Array<std::complex<float>> x(ctx, {1, 50});
      Array<Wide> wide_x(ctx, {1, 50});
      Array<Wide> expected(host, {1, 50});
      narrow.adjoint(ctx, clone(ctx, y.ref()), x);
      wide.adjoint(ctx, clone(ctx, wide_y.ref()), wide_x);
      oracle.adjoint(host, wide_y, expected);
      const auto found = to_host(ctx, x.ref());
      const auto wide_found = to_host(ctx, wide_x.ref());
      for (Index v = 0; v < 50; ++v) {
        EXPECT_LT(std::abs(Wide(found.data()[v]) - expected.data()[v]), term<float>);
        // Both are off by what they are held to.
        EXPECT_LT(std::abs(wide_found.data()[v] - expected.data()[v]), 2 * term<double>);
      }
    }
  }
}

TEST(CudaPositionDft, WeightsThatAreAllTheSameDoNotAddUpTheErrorsOfSineAndCosine) {
  // As in Parboil's MRI-Q. The mean of those errors over all phases, 5e-8, would add up to 1e-5 of the sum of 40000
  // terms, which grows with the root of their number.
  const Context host = test::device_context().host();
  const auto k = test::random_points(host, 40000, 3);
  const auto r = random_positions(host, 100, 3, 200);
  const Context ctx = test::device_context();
  for (const Index coils : {1, 2}) {
    const PositionDft<float> op(ctx, k, r, coils);
    const PositionDft<double> oracle(host, k, r, coils);
    Array<std::complex<float>> y(ctx, op.range());
    Array<Wide> wide_y(host, op.range());
    fill<std::complex<float>>(ctx, y, 1);
    fill<Wide>(host, wide_y, 1);
    Array<std::complex<float>> x(ctx, op.domain());
    Array<Wide> expected(host, op.domain());
    op.adjoint(ctx, y, x);
    oracle.adjoint(host, wide_y, expected);
    EXPECT_LT(test::relative_error(to_host(ctx, x.ref()), expected), term<float>);
  }
}

TEST(CudaPositionDft, SumsOfNothingAreZero) {
  const Context ctx = test::device_context();
  const auto some = test::random_points(ctx.host(), 7, 2);
  const Array<double> none(ctx.host(), {0, 2});
  const Array<std::complex<float>> nothing(ctx, {3, 0});
  Array<std::complex<float>> x(ctx, {3, 7});
  fill<std::complex<float>>(ctx, x, 1);
  PositionDft<float>(ctx, none, some, 3).adjoint(ctx, nothing, x);
  EXPECT_EQ(norm(ctx, x), 0);
  fill<std::complex<float>>(ctx, x, 1);
  PositionDft<float>(ctx, some, none, 3).forward(ctx, nothing, x);
  EXPECT_EQ(norm(ctx, x), 0);
}

}  // namespace
}  // namespace whorl
