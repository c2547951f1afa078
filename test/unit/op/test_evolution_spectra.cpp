// The normal operator of a signal that evolves, as a convolution: against the exact sum with each voxel's own evolution.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/core/random.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/evolution_factors.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl {
namespace {

using Double = std::complex<double>;

constexpr Index evolving_samples = 300;

// 3 coils, a field of -90 to 120 Hz and R2* of 10 to 60/s, each voxel its own, and times of 0 to 12 ms in no order.
struct EvolvingProblem {
  Shape image;
  Array<double> points;
  Array<double> times;
  Array<float> field;
  Array<float> r2_star;
  Array<Double> maps;
  Array<Double> x;

  EvolvingProblem(const Context& host, const Shape& shape, Index coils)
      : image(shape),
        points(test::random_points(host, evolving_samples, shape.rank())),
        times(host, {evolving_samples}),
        field(host, shape),
        r2_star(host, shape),
        maps(test::random_array<double>(host, shape.with_front(coils), 3)),
        x(test::random_array<double>(host, shape, 4)) {
    for (Index j = 0; j < evolving_samples; ++j) {
      times.data()[j] = 0.012 * random_uniform(5, static_cast<std::uint64_t>(j));
    }
    for (Index r = 0; r < shape.size(); ++r) {
      const auto i = static_cast<std::uint64_t>(r);
      field.data()[r] = static_cast<float>(-90 + 210 * random_uniform(6, i));
      r2_star.data()[r] = static_cast<float>(10 + 50 * random_uniform(7, i));
    }
  }

  // e(r, t_j) exp(-2 pi i k_j r) / sqrt(pixels)
  Double factor(Index j, Index r) const {
    const double t = times.data()[j];
    double turns = double{field.data()[r]} * t;
    Index rest = r;
    for (int axis = image.rank() - 1; axis >= 0; --axis) {
      const Index n = image[axis];
      turns += points.data()[j * image.rank() + image.rank() - 1 - axis] * static_cast<double>(rest % n - n / 2);
      rest /= n;
    }
    return std::polar(std::exp(-double{r2_star.data()[r]} * t) / std::sqrt(static_cast<double>(image.size())),
                      -2 * std::numbers::pi * turns);
  }

  Array<Double> exact_normal(const Context& host) const {
    const Index pixels = image.size();
    auto z = zeros<Double>(host, image);
    for (Index c = 0; c < maps.extent(0); ++c) {
      const Double* map = maps.data() + c * pixels;
      for (Index j = 0; j < evolving_samples; ++j) {
        Double y = 0;
        for (Index r = 0; r < pixels; ++r) y += factor(j, r) * map[r] * x.data()[r];
        for (Index r = 0; r < pixels; ++r) z.data()[r] += std::conj(factor(j, r) * map[r]) * y;
      }
    }
    return z;
  }
};

template <class Real>
Array<std::complex<Real>> rounded_on(const Context& ctx, const Array<Double>& values) {
  Array<std::complex<Real>> rounded(ctx.host(), values.shape());
  std::transform(values.span().begin(), values.span().end(), rounded.span().begin(),
                 [](const Double& value) { return std::complex<Real>(value); });
  return clone<std::complex<Real>>(ctx, rounded);
}

// The factors' error, twice, as forward and adjoint each have it, and that of the transform, `between`. What comes out has
// less energy than what went through: the adjoint of 900 values has some 130 or 210 voxels, and amplifies an error of
// random values relative to itself by 4 at most.
template <class Real>
void check_normal(const Shape& image, Index coils, bool exact, double tolerance, double between) {
  const Context ctx = test::device_context();
  const EvolvingProblem problem(ctx.host(), image, coils);
  const auto signal = exponential_signal(ctx.host(), problem.r2_star, problem.field);
  auto factors = evolution_factors<Real>(ctx, signal, problem.times, tolerance);
  const auto points = clone<double>(ctx, problem.points);
  const NufftOptions options{.tolerance = between};
  const auto spectra =
      std::make_shared<const SubspaceSpectra<Real>>(ctx, points, factors.courses, image, options, exact);
  auto maps = rounded_on<Real>(ctx, problem.maps);
  Operator<Real> transform =
      exact ? Dft<Real>(ctx, points, image, coils) * Sense<Real>(maps.share())
            : Operator<Real>(SenseNufft<Real>(Nufft<Real>(ctx, points, image, coils, options), maps.share()));
  const SignalEvolution<Real> pair(transform, {factors.maps.share(), factors.courses.share(), factors.error});
  const SignalEvolution<Real> convolution(transform, std::move(factors), std::move(maps), spectra);
  const auto x = rounded_on<Real>(ctx, problem.x);
  Array<std::complex<Real>> z(ctx, image);
  const Array<Double> expected = problem.exact_normal(ctx.host());
  convolution.normal(ctx, x, z);
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, z), expected), 8 * (tolerance + between));
  Array<std::complex<Real>> by_pair(ctx, image);
  pair.normal(ctx, x, by_pair);
  // With the same factors, their error is left out.
  EXPECT_LT(test::relative_error(ctx, z, by_pair), 8 * between);
}

// Exact sums in double leave rounding alone between the two ways: sums of 300 x 210 terms.
TEST(EvolutionSpectra, ExactSumsInDouble) {
  check_normal<double>({11, 13}, 3, true, 1e-5, 1e-12);
  check_normal<double>({5, 6, 7}, 3, true, 1e-5, 1e-12);
}

// Coils in groups of four and single ones.
TEST(EvolutionSpectra, NufftInDoubleAndFloat) {
  check_normal<double>({12, 11}, 5, false, 1e-6, 1e-8);
  check_normal<float>({12, 11}, 5, false, 1e-4, 1e-4);
  check_normal<float>({5, 6, 7}, 2, false, 1e-3, 1e-4);
}

// Many samples: a convolution does not depend on their number. Few, or a grid of half the memory: forward, then adjoint.
TEST(EvolutionSpectra, AreChosenForManySamples) {
  const Context ctx = test::device_context();
  EXPECT_TRUE(spectra_are_faster<float>(ctx, Index{1} << 26, {64, 64}, 8, 6, {}));
  // A GPU takes as long to start the kernels of a transform of few samples.
  if (ctx.device().kind == DeviceKind::cpu) {
    EXPECT_FALSE(spectra_are_faster<float>(ctx, 1000, {64, 64}, 8, 6, {}));
  }
  EXPECT_FALSE(spectra_are_faster<float>(ctx, Index{1} << 26, {64, 64}, 8, 33, {}));
  const Context small({.max_memory = 1 << 20});
  EXPECT_FALSE(spectra_are_faster<float>(small, Index{1} << 26, {64, 64}, 8, 6, {}));
}

TEST(EvolutionSpectra, OfOtherFactorsAreRefused) {
  const Context ctx = test::device_context();
  const EvolvingProblem problem(ctx.host(), {8, 9}, 2);
  const auto points = clone<double>(ctx, problem.points);
  auto maps = rounded_on<float>(ctx, problem.maps);
  const auto factors = [&](double tolerance) {
    return evolution_factors<float>(ctx, exponential_signal(ctx.host(), {}, problem.field), problem.times, tolerance);
  };
  const auto spectra =
      std::make_shared<const SubspaceSpectra<float>>(ctx, points, factors(1e-1).courses, problem.image, NufftOptions{});
  EXPECT_THROW(SignalEvolution<float>(SenseNufft<float>(Nufft<float>(ctx, points, problem.image, 2), maps.share()),
                                      factors(1e-5), maps.share(), spectra),
               ShapeError);
}

}  // namespace
}  // namespace whorl
