#include "whorl/op/circulant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// The convolution by its direct sum, on an odd image, twice in a batch.
TEST(Circulant, IsAConvolutionThatWrapsAround) {
  const Context ctx = test::device_context();
  constexpr Index ny = 5;
  constexpr Index nx = 6;
  // A real, even kernel has a real spectrum: 2 + 2 a cos(2 pi kx / nx) + 2 b cos(2 pi ky / ny).
  constexpr double a = 0.3;
  constexpr double b = -0.7;
  Array<double> spectrum(ctx.host(), {ny, nx});
  for (Index y = 0; y < ny; ++y) {
    for (Index x = 0; x < nx; ++x) {
      spectrum.data()[y * nx + x] = 2 + 2 * a * std::cos(2 * M_PI * static_cast<double>(x) / nx) +
                                    2 * b * std::cos(2 * M_PI * static_cast<double>(y) / ny);
    }
  }
  const Circulant<double> C(ctx, {2, ny, nx}, std::move(spectrum));
  const auto x = test::random_array<double>(ctx, {2, ny, nx}, 3);
  Array<Complex> y(ctx, {2, ny, nx});
  C.forward(ctx, x, y);
  const auto in = to_host<Complex>(ctx, x.ref());
  const auto out = to_host<Complex>(ctx, y.ref());
  const auto at = [&](Index image, Index row, Index column) {
    return in.data()[(image * ny + (row + ny) % ny) * nx + (column + nx) % nx];
  };
  for (Index i = 0; i < out.size(); ++i) {
    const Index image = i / nx / ny;
    const Index row = i / nx % ny;
    const Index column = i % nx;
    const Complex expected = 2.0 * at(image, row, column) +
                             a * (at(image, row, column - 1) + at(image, row, column + 1)) +
                             b * (at(image, row - 1, column) + at(image, row + 1, column));
    EXPECT_LT(std::abs(out.data()[i] - expected), 1e-14);
  }
  EXPECT_THROW(Circulant<double>(ctx, {5, 7}, Array<double>(ctx, {5, 6})), ShapeError);
}

constexpr int most = 256;

// The fewest iterations after which conjugate gradient is within 1e-3 of the solution, by halving: its error falls with
// every iteration.
int iterations_to_optimum(const Context& ctx, const NormalFunction<double>& H, const Operator<double>& back,
                          ArrayRef<const Complex> b, const Array<Complex>& optimum) {
  const auto is_near = [&](int iterations) {
    Array<Complex> y = zeros<Complex>(ctx, b.shape());
    conjugate_gradient<double>(ctx, H, b, y, {.iterations = iterations, .tolerance = 0});
    Array<Complex> x = clone<Complex>(ctx, y.ref());
    if (back) back.forward(ctx, y, x);
    return test::relative_error(ctx, x, optimum) < 1e-3;
  };
  int too_few = 0;
  int enough = most;
  while (enough - too_few > 1) {
    const int middle = (too_few + enough) / 2;
    (is_near(middle) ? enough : too_few) = middle;
  }
  return enough;
}

// SENSE with 8 coils, a lambda of 0.03 (of a largest eigenvalue of some tens), and samples that crowd at the center. The solution is the same, and nearer.
TEST(CirculantPreconditioner, SavesIterations) {
  const Context ctx = test::device_context(2);
  constexpr Index n = 32;
  constexpr double lambda = 0.03;
  const auto maps = phantom_coil_maps<double>(ctx.host(), make_phantom_coils(ctx.host(), {n, n, 1}, 8));
  const std::pair<const char*, Trajectory> cases[] = {
      {"radial", radial_trajectory(ctx.host(), 64, 64, SpokeOrder::golden_angle)},
      {"spiral", spiral_trajectory(ctx.host(), 8, 400, 2.5, 2)}};
  for (const auto& [name, trajectory] : cases) {
    const Nufft<double> nufft(ctx, trajectory.points, {n, n}, 8, {.tolerance = 1e-6});
    const Operator<double> A = SenseNufft<double>(nufft, clone<Complex>(ctx, maps.ref()));
    const auto x = test::random_array<double>(ctx, {n, n}, 3);
    Array<Complex> b(ctx, {n, n});
    A.normal(ctx, x, b);
    const NormalFunction<double> H = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
      A.normal(c, p, q);
      axpby<double>(c, lambda, p, 1, q);
    };
    Array<Complex> optimum = zeros<Complex>(ctx, {n, n});
    conjugate_gradient<double>(ctx, H, b, optimum, {.iterations = 1000, .tolerance = 1e-9});
    const Operator<double> C = circulant_preconditioner<double>(ctx, A.normal());
    Array<Complex> Cb(ctx, {n, n});
    C.forward(ctx, b, Cb);
    const NormalFunction<double> CHC = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
      Array<Complex> from(c, p.shape());
      Array<Complex> to(c, p.shape());
      C.forward(c, p, from);
      H(c, from, to);
      C.forward(c, to, q);
    };
    const int plain = iterations_to_optimum(ctx, H, nullptr, b, optimum);
    const int preconditioned = iterations_to_optimum(ctx, CHC, C, Cb, optimum);
    std::printf("%s: iterations to 1e-3 of the optimum: %d, with the preconditioner %d\n", name, plain, preconditioned);
    EXPECT_LT(preconditioned, 0.8 * plain) << name;
  }
}

TEST(CirculantPreconditioner, RefusesWhatHasNoResponse) {
  const Context ctx = test::device_context();
  const Operator<double> nothing = Circulant<double>(ctx, {4, 4}, zeros<double>(ctx, {4, 4}));
  EXPECT_THROW(circulant_preconditioner<double>(ctx, nothing), ValueError);
  EXPECT_THROW(circulant_preconditioner<double>(ctx, nothing, 0), ValueError);
}

}  // namespace
}  // namespace whorl
