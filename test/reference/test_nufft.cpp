// The NUFFT against the exact sum: the promise of NufftOptions::tolerance, over windows, oversamplings, dimensions,
// odd, even and unequal sizes, single and double precision. The bound is the tolerance itself.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

struct Tally {
  int held = 0;
  int refused = 0;
};

// The rounding floor of the narrowest window whose own error is below the tolerance; 1 where double precision is too
// coarse to tell that error.
double floor_of_sufficient_window(WindowKind kind, double oversampling, double tolerance, const Shape& image,
                                  double epsilon) {
  for (int width = 2; width <= Window::max_width; ++width) {
    const Window window(kind, width, oversampling);
    if (window.row_error(image) <= tolerance) return rounding_floor(window, image, epsilon);
  }
  return 1;
}

// Runs every tolerance through one window and oversampling. A tolerance may be refused only below the rounding floor.
template <class Real>
Tally check_tolerances(const Shape& image, WindowKind window, double oversampling,
                       const std::vector<double>& tolerances) {
  const Context ctx = test::device_context();
  constexpr Index coils = 2;
  constexpr Index samples = 700;
  const int dim = image.rank();
  const double epsilon = std::numeric_limits<Real>::epsilon() / 2;
  // The tolerance is that of the mean over random images and data. The energy of n random numbers has a standard deviation
  // of 1 / sqrt(n) of itself, its root half of that; four of them are allowed.
  const auto with_scatter = [](Index n) { return 1 + 4 * 0.5 / std::sqrt(static_cast<double>(n)); };
  const Array<double> points = test::random_points(ctx, samples, dim);
  const auto x = test::random_array<Real>(ctx, image.with_front(coils), 1);
  const auto y = test::random_array<Real>(ctx, {coils, samples}, 2);
  const Context host = ctx.host();
  const Dft<Real> exact(host, points, image, coils);
  Array<std::complex<Real>> forward_exact(host, exact.range());
  Array<std::complex<Real>> adjoint_exact(host, exact.domain());
  exact.forward(host, to_host<const std::complex<Real>>(ctx, x), forward_exact);
  exact.adjoint(host, to_host<const std::complex<Real>>(ctx, y), adjoint_exact);

  Tally tally;
  for (const double tolerance : tolerances) {
    SCOPED_TRACE("image " + to_string(image) + ", window " + std::to_string(int(window)) + ", oversampling " +
                 std::to_string(oversampling) + ", tolerance " + std::to_string(tolerance));
    const NufftOptions options{.tolerance = tolerance, .oversampling = oversampling, .window = window};
    try {
      const Nufft<Real> nufft(ctx, points, image, coils, options);
      Array<std::complex<Real>> forward(ctx, nufft.range());
      Array<std::complex<Real>> adjoint(ctx, nufft.domain());
      nufft.forward(ctx, x, forward);
      nufft.adjoint(ctx, y, adjoint);
      EXPECT_LE(test::relative_error(ctx, forward, forward_exact), tolerance * with_scatter(x.size()));
      EXPECT_LE(test::relative_error(ctx, adjoint, adjoint_exact), tolerance * with_scatter(y.size()));
      ++tally.held;
    } catch (const ValueError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("floor that rounding sets"), std::string::npos) << message;
      EXPECT_EQ(message.find("use double precision") != std::string::npos, sizeof(Real) == 4) << message;
      EXPECT_EQ(message.find("a larger oversampling") != std::string::npos, oversampling < 2) << message;
      // Rightly refused: the window that would hold the tolerance alone amplifies rounding to a good part of it.
      EXPECT_GT(floor_of_sufficient_window(window, oversampling, tolerance, image, epsilon), 0.2 * tolerance);
      ++tally.refused;
    }
  }
  return tally;
}

const std::vector<double> single_tolerances{1e-2, 1e-3, 1e-4, 1e-5};
const std::vector<double> double_tolerances{1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

class NufftAccuracy : public testing::TestWithParam<WindowKind> {};

TEST_P(NufftAccuracy, SinglePrecision) {
  for (const Shape& image : {Shape{31, 46}, Shape{64, 27}, Shape{13, 22, 18}}) {
    EXPECT_EQ(check_tolerances<float>(image, GetParam(), 2, single_tolerances).refused, 0);
    check_tolerances<float>(image, GetParam(), 1.5, single_tolerances);
    check_tolerances<float>(image, GetParam(), 1.25, single_tolerances);
  }
}

TEST_P(NufftAccuracy, DoublePrecision) {
  for (const Shape& image : {Shape{31, 46}, Shape{64, 27}, Shape{13, 22, 18}}) {
    EXPECT_EQ(check_tolerances<double>(image, GetParam(), 2, double_tolerances).refused, 0);
    check_tolerances<double>(image, GetParam(), 1.5, double_tolerances);
    check_tolerances<double>(image, GetParam(), 1.25, double_tolerances);
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, NufftAccuracy, testing::Values(WindowKind::kaiser_bessel, WindowKind::gaussian),
                         [](const auto& suite) {
                           return suite.param == WindowKind::gaussian ? "Gaussian" : "KaiserBessel";
                         });

TEST(Nufft, KaiserBesselHoldsTheUsualTolerancesAtAnyOversampling) {
  const Shape image{31, 46};
  EXPECT_EQ(check_tolerances<float>(image, WindowKind::kaiser_bessel, 1.25, {1e-2, 1e-3, 1e-4}).refused, 0);
  EXPECT_EQ(check_tolerances<float>(image, WindowKind::kaiser_bessel, 1.5, single_tolerances).refused, 0);
  EXPECT_EQ(check_tolerances<double>(image, WindowKind::kaiser_bessel, 1.5, double_tolerances).refused, 0);
}

// Positions are split in double, so single precision holds 1e-6 where the grid has thousands of points an axis.
TEST(Nufft, TheFloorOfSinglePrecisionIsLow) {
  EXPECT_EQ(check_tolerances<float>({40, 35}, WindowKind::kaiser_bessel, 2, {1e-6}).held, 1);
  EXPECT_EQ(check_tolerances<float>({1, 3000}, WindowKind::kaiser_bessel, 2, {2e-6}).held, 1);
  EXPECT_EQ(check_tolerances<float>({40, 35}, WindowKind::kaiser_bessel, 2, {1e-8}).refused, 1);
}

TEST(Nufft, ImagesSmallerThanTheWindow) {
  EXPECT_EQ(check_tolerances<double>({1, 3}, WindowKind::kaiser_bessel, 2, {1e-9}).held, 1);
  EXPECT_EQ(check_tolerances<double>({2, 1, 5}, WindowKind::gaussian, 2, {1e-6}).held, 1);
}

}  // namespace
}  // namespace whorl
