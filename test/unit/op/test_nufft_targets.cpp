// Every SIMD target of the NUFFT against the exact sum in double precision, over all widths of the window. The bound is
// the tolerance that the transform was asked for.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "support/simd_targets.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

// Every third sample lies beside the one before, so that some cells of the grid hold several.
Array<double> crowded_points(const Context& ctx, Index samples, int dim) {
  Array<double> points = test::random_points(ctx, samples, dim);
  for (Index j = 1; j < samples; ++j) {
    for (Index axis = 0; axis < dim && j % 3 != 0; ++axis) {
      points.data()[j * dim + axis] = 0.999 * points.data()[(j - 1) * dim + axis];
    }
  }
  return points;
}

// Both directions at every tolerance, from windows of at most 4 points to one of at least `wide`.
template <class Real>
void expect_exact(const Shape& image, const std::vector<double>& tolerances, double oversampling, int wide) {
  const Context ctx({.threads = 2});
  constexpr Index coils = 5;  // four that lie together in memory, and one
  constexpr Index samples = 501;
  const Array<double> points = crowded_points(ctx, samples, image.rank());
  const auto x = test::random_array<Real>(ctx, image.with_front(coils), 1);
  const auto y = test::random_array<Real>(ctx, {coils, samples}, 2);
  const Dft<Real> exact(ctx, points, image, coils);
  Array<std::complex<Real>> forward_exact(ctx, exact.range());
  Array<std::complex<Real>> adjoint_exact(ctx, exact.domain());
  exact.forward(ctx, x, forward_exact);
  exact.adjoint(ctx, y, adjoint_exact);
  Array<std::complex<Real>> forward(ctx, exact.range());
  Array<std::complex<Real>> adjoint(ctx, exact.domain());
  int narrowest = Window::max_width;
  int widest = 0;
  for (const double tolerance : tolerances) {
    test::for_each_simd_target([&] {
      const Nufft<Real> nufft(ctx, points, image, coils, {.tolerance = tolerance, .oversampling = oversampling});
      narrowest = std::min(narrowest, nufft.window().width());
      widest = std::max(widest, nufft.window().width());
      nufft.forward(ctx, x, forward);
      nufft.adjoint(ctx, y, adjoint);
      EXPECT_LE(test::relative_error(forward, forward_exact), tolerance);
      EXPECT_LE(test::relative_error(adjoint, adjoint_exact), tolerance);
    });
  }
  EXPECT_LE(narrowest, 4);
  EXPECT_GE(widest, wide);
}

TEST(NufftTargets, SinglePrecision) {
  expect_exact<float>({37, 50}, {5e-2, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5}, 1.5, 7);
  expect_exact<float>({14, 9, 21}, {5e-2, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5}, 1.5, 7);
}

TEST(NufftTargets, DoublePrecision) {
  // 2D reaches past the widest window that has loops of its own, 16.
  expect_exact<double>({37, 50}, {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 4e-11}, 1.25, 17);
  expect_exact<double>({14, 9, 21}, {1e-1, 1e-3, 1e-5, 1e-6, 1e-7, 1e-8}, 1.25, 12);
}

}  // namespace
}  // namespace whorl
