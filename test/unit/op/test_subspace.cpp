// The transform of a subspace: against the exact sum over pixels, components and samples in double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/core/random.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/subspace.hpp"

namespace whorl {
namespace {

using Exact = std::complex<double>;

// 3 coils, 4 components, 300 samples in 6 frames, images of an odd and an even extent.
struct Problem {
  Shape image;
  Index coils = 3;
  Index components = 4;
  Array<double> points;
  Array<Exact> courses, maps, x;
};

Problem make_problem(const Context& host, const Shape& image, bool complex_basis, Index coils = 3,
                     Index components = 4) {
  Problem problem{image, coils, components, {}, {}, {}, {}};
  constexpr Index samples = 300;
  constexpr Index frames = 6;
  problem.points = Array<double>(host, {samples, image.rank()});
  Array<Exact> numbers(host, {samples * image.rank()});
  fill_random_normal<double>(numbers, 3);
  for (Index i = 0; i < problem.points.size(); ++i) {
    // Any number of turns, folded to -1/2 to 1/2.
    const double turns = numbers.data()[i].real();
    problem.points.data()[i] = turns - std::round(turns);
  }
  Array<Exact> basis(host, {components, frames});
  fill_random_normal<double>(basis, 4);
  problem.courses = Array<Exact>(host, {components, samples});
  for (Index k = 0; k < components; ++k) {
    for (Index j = 0; j < samples; ++j) {
      const Exact value = basis.data()[k * frames + j * frames / samples];
      problem.courses.data()[k * samples + j] = complex_basis ? value : Exact(value.real());
    }
  }
  problem.maps = Array<Exact>(host, image.with_front(coils));
  fill_random_normal<double>(problem.maps, 5);
  problem.x = Array<Exact>(host, image.with_front(components));
  fill_random_normal<double>(problem.x, 6);
  return problem;
}

Exact phase(const Problem& problem, Index sample, Index pixel) {
  double turns = 0;
  for (int axis = problem.image.rank() - 1; axis >= 0; --axis) {
    const Index n = problem.image[axis];
    const Index column = problem.image.rank() - 1 - axis;
    turns += problem.points.data()[sample * problem.image.rank() + column] * static_cast<double>(pixel % n - n / 2);
    pixel /= n;
  }
  return std::polar(1.0, -2 * std::numbers::pi * turns);
}

// y[c, j] = 1/sqrt(pixels) sum_k b_k[j] sum_r s_c[r] x_k[r] exp(-2 pi i k_j r)
Array<Exact> exact_forward(const Context& host, const Problem& problem, const Array<Exact>& x) {
  const Index samples = problem.points.extent(0);
  const Index pixels = problem.image.size();
  Array<Exact> y = zeros<Exact>(host, {problem.coils, samples});
  for (Index j = 0; j < samples; ++j) {
    for (Index r = 0; r < pixels; ++r) {
      Exact signal = 0;
      for (Index k = 0; k < problem.components; ++k) {
        signal += problem.courses.data()[k * samples + j] * x.data()[k * pixels + r];
      }
      signal *= phase(problem, j, r) / std::sqrt(static_cast<double>(pixels));
      for (Index c = 0; c < problem.coils; ++c)
        y.data()[c * samples + j] += problem.maps.data()[c * pixels + r] * signal;
    }
  }
  return y;
}

Array<Exact> exact_adjoint(const Context& host, const Problem& problem, const Array<Exact>& y) {
  const Index samples = problem.points.extent(0);
  const Index pixels = problem.image.size();
  Array<Exact> x = zeros<Exact>(host, problem.image.with_front(problem.components));
  for (Index j = 0; j < samples; ++j) {
    for (Index r = 0; r < pixels; ++r) {
      Exact sum = 0;
      for (Index c = 0; c < problem.coils; ++c) {
        sum += std::conj(problem.maps.data()[c * pixels + r]) * y.data()[c * samples + j];
      }
      sum *= std::conj(phase(problem, j, r)) / std::sqrt(static_cast<double>(pixels));
      for (Index k = 0; k < problem.components; ++k) {
        x.data()[k * pixels + r] += std::conj(problem.courses.data()[k * samples + j]) * sum;
      }
    }
  }
  return x;
}

template <class Real>
Array<std::complex<Real>> on(const Context& ctx, const Array<Exact>& values) {
  Array<std::complex<Real>> rounded(ctx.host(), values.shape());
  std::transform(values.span().begin(), values.span().end(), rounded.span().begin(),
                 [](const Exact& value) { return std::complex<Real>(value); });
  return clone<std::complex<Real>>(ctx, rounded);
}

template <class Real>
double error_of(const Context& ctx, const Array<std::complex<Real>>& values, const Array<Exact>& expected) {
  const auto here = to_host<const std::complex<Real>>(ctx, values);
  double difference = 0;
  double square = 0;
  for (Index i = 0; i < expected.size(); ++i) {
    difference += std::norm(Exact(here.data()[i]) - expected.data()[i]);
    square += std::norm(expected.data()[i]);
  }
  return std::sqrt(difference / square);
}

// Errors of all three products. `exact`: spectra by exact sums, and the transform a Dft.
template <class Real>
void compare(const Problem& problem, bool exact, double tolerance, double normal_tolerance) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  const auto points = clone<double>(ctx, problem.points);
  const NufftOptions options{.tolerance = tolerance / 4};
  Operator<Real> transform =
      exact ? Dft<Real>(ctx, points, problem.image, problem.coils) * Sense<Real>(on<Real>(ctx, problem.maps))
            : Operator<Real>(SenseNufft<Real>(Nufft<Real>(ctx, points, problem.image, problem.coils, options),
                                              on<Real>(ctx, problem.maps)));
  const auto spectra = std::make_shared<const SubspaceSpectra<Real>>(ctx, points, on<Real>(ctx, problem.courses),
                                                                     problem.image, options, exact);
  const Subspace<Real> A(transform, on<Real>(ctx, problem.courses), on<Real>(ctx, problem.maps), spectra);
  const Subspace<Real> pair(transform, on<Real>(ctx, problem.courses));
  const auto x = on<Real>(ctx, problem.x);
  const Array<Exact> exact_y = exact_forward(host, problem, problem.x);
  const Array<Exact> exact_z = exact_adjoint(host, problem, exact_y);
  Array<std::complex<Real>> y(ctx, A.range());
  A.forward(ctx, x, y);
  EXPECT_LT(error_of(ctx, y, exact_y), tolerance);
  Array<std::complex<Real>> z(ctx, A.domain());
  A.adjoint(ctx, on<Real>(ctx, exact_y), z);
  EXPECT_LT(error_of(ctx, z, exact_z), tolerance);
  A.normal(ctx, x, z);
  EXPECT_LT(error_of(ctx, z, exact_z), normal_tolerance);
  pair.normal(ctx, x, z);
  EXPECT_LT(error_of(ctx, z, exact_z), 2 * tolerance);
}

// Sums of 300 x 143 terms in double, and FFTs: some 1e-15 times the root of their lengths; of random terms nothing cancels.
TEST(Subspace, ExactSumsInDouble) {
  const Context host;
  for (const bool complex_basis : {false, true}) {
    compare<double>(make_problem(host, {11, 13}, complex_basis), true, 1e-12, 1e-12);
    compare<double>(make_problem(host, {5, 6, 7}, complex_basis), true, 1e-12, 1e-12);
  }
}

// A NUFFT of a quarter of the tolerance for random data, whose adjoint has the norm of the data as its measure: the error
// relative to the result is larger by |y| / |A^H y|, below 4 here, as 900 numbers become 572.
TEST(Subspace, NufftInDoubleAndFloat) {
  const Context host;
  for (const bool complex_basis : {false, true}) {
    compare<double>(make_problem(host, {12, 11}, complex_basis), false, 1e-8, 2e-8);
    compare<float>(make_problem(host, {12, 11}, complex_basis), false, 1e-4, 2e-4);
  }
}

// Batches of coils in groups of four and single ones; the most components that lie in registers, and more.
TEST(Subspace, AnyNumberOfCoilsAndComponents) {
  const Context host;
  compare<float>(make_problem(host, {12, 11}, false, 6, 2), false, 1e-4, 2e-4);
  compare<float>(make_problem(host, {12, 11}, true, 5, 7), false, 1e-4, 2e-4);
  compare<float>(make_problem(host, {10, 9}, true, 1, 9), false, 1e-4, 2e-4);
}

TEST(Subspace, RealCoursesHaveRealSpectra) {
  const Context ctx = test::device_context(2);
  for (const bool complex_basis : {false, true}) {
    const Problem problem = make_problem(ctx.host(), {8, 9}, complex_basis);
    const SubspaceSpectra<float> spectra(ctx, clone<double>(ctx, problem.points), on<float>(ctx, problem.courses),
                                         problem.image, {});
    EXPECT_EQ(spectra.real(), !complex_basis);
    EXPECT_EQ(spectra.components(), 4);
  }
}

TEST(Subspace, SaysWhatDoesNotFit) {
  const Context ctx = test::device_context(2);
  const Problem problem = make_problem(ctx.host(), {8, 9}, false);
  const auto points = clone<double>(ctx, problem.points);
  const Nufft<float> nufft(ctx, points, problem.image, 3);
  EXPECT_THROW(Subspace<float>(SenseNufft<float>(nufft, on<float>(ctx, problem.maps)),
                               zeros<std::complex<float>>(ctx, {4, 299})),
               ShapeError);
  EXPECT_THROW(SubspaceSpectra<float>(ctx, points, zeros<std::complex<float>>(ctx, {33, 300}), problem.image, {}),
               Unsupported);
  EXPECT_THROW(SubspaceSpectra<float>(ctx, points, zeros<std::complex<float>>(ctx, {3, 299}), problem.image, {}),
               ShapeError);
}

}  // namespace
}  // namespace whorl
