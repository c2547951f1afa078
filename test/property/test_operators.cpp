// Properties that every operator has, over one list: linearity, the adjoint, the normal operator, and the same result
// for any number of threads. To add an operator, add a line to `cases`.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/differences.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/nufft_derivative.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/position_dft.hpp"
#include "whorl/op/position_nufft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/op/wavelet.hpp"
#include "whorl/op/weighted_differences.hpp"

namespace whorl {
namespace {

template <class Real>
using Make = std::function<Operator<Real>(const Context&)>;

// With the oversampling 2 unless told otherwise: a small one, which may be predicted to be faster, amplifies rounding.
template <class Real>
Operator<Real> make_nufft(const Context& ctx, const Shape& image, Index coils, NufftOptions options) {
  if (options.oversampling == 0) options.oversampling = 2;
  const auto points = test::random_points(ctx, 533, image.rank());
  return std::make_shared<const Nufft<Real>>(ctx, points, image, coils, options);
}

template <class Real>
Operator<Real> make_sense(const Context& ctx, const Shape& maps) {
  return std::make_shared<const Sense<Real>>(test::random_array<Real>(ctx, maps, 5));
}

template <class Real>
Operator<Real> make_sense_nufft(const Context& ctx, const Shape& image, Index coils) {
  const auto points = test::random_points(ctx, 411, image.rank());
  return Nufft<Real>(ctx, points, image, coils, NufftOptions{.oversampling = 2}) *
         make_sense<Real>(ctx, image.with_front(coils));
}

// Around a transform of several coils, or of one image where it is wrapped around the sensitivities too.
template <class Real>
Operator<Real> make_evolution(const Context& ctx, bool around_sense) {
  const Shape image{9, 14, 11};
  auto transform = around_sense ? make_sense_nufft<Real>(ctx, image, 3) : make_nufft<Real>(ctx, image, 2, {});
  const Index samples = transform->range()[1];
  return std::make_shared<const SignalEvolution<Real>>(
      std::move(transform), EvolutionFactors<Real>{test::random_array<Real>(ctx, image.with_front(3), 6),
                                                   test::random_array<Real>(ctx, {3, samples}, 7)});
}

template <class Real>
Operator<Real> make_fused_sense_nufft(const Context& ctx, const Shape& image, Index coils) {
  const auto points = test::random_points(ctx, 411, image.rank());
  const Nufft<Real> nufft(ctx, points, image, coils, {.oversampling = 2});
  return std::make_shared<const SenseNufft<Real>>(nufft, test::random_array<Real>(ctx, image.with_front(coils), 5));
}

template <class Real>
Operator<Real> make_subspace(const Context& ctx, const Shape& image, Index components) {
  return Subspace<Real>(
      make_sense_nufft<Real>(ctx, image, 3),
      test::random_array<Real>(ctx, {components, make_sense_nufft<Real>(ctx, image, 3)->range()[1]}, 6));
}

template <class Real>
Operator<Real> make_differences(const Context& ctx, const Shape& image, bool weighted) {
  return std::make_shared<const WeightedDifferences<Real>>(
      ctx, image, weighted ? test::random_weights<Real>(ctx, image.with_front(image.rank()), 7) : Array<Real>());
}

template <class Real>
std::vector<std::pair<std::string, Make<Real>>> cases() {
  using R = Real;
  return {
      {"nufft 1D", [](const Context& c) { return make_nufft<R>(c, {1531}, 6, {}); }},
      {"nufft 2D",
       [](const Context& c) {
         return make_nufft<R>(c, {18, 23}, 3, {});
       }},
      {"nufft 2D, large grid",
       [](const Context& c) {
         return make_nufft<R>(c, {130, 71}, 5, {.tolerance = 1e-3});
       }},
      {"nufft 3D",
       [](const Context& c) {
         return make_nufft<R>(c, {9, 14, 11}, 2, {});
       }},
      {"nufft 3D, large grid",
       [](const Context& c) {
         return make_nufft<R>(c, {40, 21, 52}, 1, {});
       }},
      {"nufft Gaussian",
       [](const Context& c) {
         return make_nufft<R>(c, {21, 40}, 2, {.tolerance = 1e-3, .window = WindowKind::gaussian});
       }},
      {"nufft wide window",
       [](const Context& c) {
         return make_nufft<R>(c, {21, 40}, 2,
                              {.tolerance = 3e-2, .oversampling = 1.25, .window = WindowKind::gaussian});
       }},
      {"dft 2D",
       [](const Context& c) {
         return std::make_shared<const Dft<R>>(c, test::random_points(c, 301, 2), Shape{12, 7}, 2);
       }},
      {"dft 3D",
       [](const Context& c) {
         return std::make_shared<const Dft<R>>(c, test::random_points(c, 77, 3), Shape{4, 9, 5}, 2);
       }},
      {"dft, normal operator given",
       [](const Context& c) {
         const auto points = test::random_points(c, 77, 3);
         const auto normal = exact_normal<R>(c, points, {4, 9, 5});
         return std::make_shared<const Dft<R>>(c, points, Shape{4, 9, 5}, 2, DftOptions{}, normal);
       }},
      {"position dft",
       [](const Context& c) {
         auto positions = test::random_points(c, 131, 3, 77);
         for (double& r : positions.span()) r *= 90;
         return std::make_shared<const PositionDft<R>>(c, test::random_points(c, 301, 3), positions, 5);
       }},
      {"position nufft",
       [](const Context& c) {
         auto positions = test::random_points(c, 131, 2, 77);
         for (double& r : positions.span()) r *= 20;
         return std::make_shared<const PositionNufft<R>>(c, test::random_points(c, 301, 2), positions, 5,
                                                         NufftOptions{.oversampling = 2});
       }},
      {"derivative of nufft 3D",
       [](const Context& c) {
         const Nufft<R> nufft(c, test::random_points(c, 301, 3), {6, 10, 13}, 2, {.oversampling = 2});
         return std::make_shared<const NufftDerivative<R>>(c, nufft);
       }},
      {"gridding 1D",
       [](const Context& c) {
         return std::make_shared<const Gridding<R>>(c, test::random_points(c, 900, 1), Shape{2311},
                                                    Window(WindowKind::kaiser_bessel, 6, 2), 5);
       }},
      {"gridding 1D, width beyond the unrolled ones",
       [](const Context& c) {
         return std::make_shared<const Gridding<R>>(c, test::random_points(c, 300, 1), Shape{331},
                                                    Window(WindowKind::gaussian, 21, 1.5), 2);
       }},
      {"gridding 2D",
       [](const Context& c) {
         return std::make_shared<const Gridding<R>>(c, test::random_points(c, 500, 2), Shape{70, 81},
                                                    Window(WindowKind::kaiser_bessel, 5, 2), 3);
       }},
      {"gridding 3D, width beyond the unrolled ones",
       [](const Context& c) {
         return std::make_shared<const Gridding<R>>(c, test::random_points(c, 60, 3), Shape{20, 44, 31},
                                                    Window(WindowKind::gaussian, 19, 1.5), 1);
       }},
      {"sense",
       [](const Context& c) {
         return make_sense<R>(c, {5, 31, 77});
       }},
      {"differences 2D",
       [](const Context& c) {
         return make_differences<R>(c, {37, 330}, true);
       }},
      {"differences 3D",
       [](const Context& c) {
         return make_differences<R>(c, {31, 45, 70}, true);
       }},
      {"differences 3D without weights",
       [](const Context& c) {
         return make_differences<R>(c, {15, 70, 41}, false);
       }},
      {"differences over frames and two axes",
       [](const Context&) {
         return std::make_shared<const Differences<R>>(Shape{5, 1, 33, 41}, DifferenceAxes{true, false, true, true});
       }},
      {"differences along y of a volume",
       [](const Context&) {
         return std::make_shared<const Differences<R>>(Shape{6, 23, 31}, DifferenceAxes{false, false, true, false});
       }},
      {"differences over cyclic frames and a cyclic axis",
       [](const Context&) {
         return std::make_shared<const Differences<R>>(Shape{5, 3, 11, 13}, DifferenceAxes{true, true, true, true},
                                                       DifferenceAxes{true, false, false, true});
       }},
      {"wavelet 2D, frames",
       [](const Context&) {
         return std::make_shared<const Wavelet<R>>(Shape{3, 1, 67, 90}, WaveletOptions{});
       }},
      {"wavelet 3D",
       [](const Context&) {
         return std::make_shared<const Wavelet<R>>(Shape{19, 34, 41}, WaveletOptions{.taps = 4, .levels = 3});
       }},
      {"blocks that differ",
       [](const Context& c) {
         return std::make_shared<const BlockDiagonal<R>>(
             std::vector<Operator<R>>{make_sense_nufft<R>(c, {15, 26}, 4), make_sense<R>(c, {3, 15, 26})});
       }},
      {"nufft after sense 2D",
       [](const Context& c) {
         return make_sense_nufft<R>(c, {15, 26}, 4);
       }},
      {"nufft after sense 3D",
       [](const Context& c) {
         return make_sense_nufft<R>(c, {8, 15, 6}, 3);
       }},
      {"nufft of an image and maps 2D",
       [](const Context& c) {
         return make_fused_sense_nufft<R>(c, {67, 41}, 7);
       }},
      {"nufft of an image and maps 3D",
       [](const Context& c) {
         return make_fused_sense_nufft<R>(c, {8, 15, 6}, 3);
       }},
      {"three blocks of nufft after sense",
       [](const Context& c) {
         return std::make_shared<const BlockDiagonal<R>>(make_sense_nufft<R>(c, {15, 26}, 4), 3);
       }},
      {"subspace",
       [](const Context& c) {
         return make_subspace<R>(c, {23, 18}, 3);
       }},
      {"signal evolution around nufft", [](const Context& c) { return make_evolution<R>(c, false); }},
      {"signal evolution around nufft after sense", [](const Context& c) { return make_evolution<R>(c, true); }},
  };
}

// Both sides of each identity sum the same products in different orders. n products of random sign leave a relative
// error of about eps sqrt(n) in the sum of their sizes; the NUFFT's window adds a factor of its amplification, 2 at
// most here. 40 eps covers n of a few hundred.
template <class Real>
constexpr double rounding = 40 * std::numeric_limits<Real>::epsilon();

template <class Real>
void check_all() {
  const Context ctx = test::device_context(2);
  const Context single = test::device_context(1);
  const Context many = test::device_context(5);
  for (const auto& [name, make] : cases<Real>()) {
    SCOPED_TRACE(name);
    const auto subject = make(ctx);
    const LinearOperator<Real>& A = *subject;
    using Complex = std::complex<Real>;
    const auto x = test::random_array<Real>(ctx, A.domain(), 21);
    const auto y = test::random_array<Real>(ctx, A.range(), 22);
    Array<Complex> Ax(ctx, A.range());
    Array<Complex> AHy(ctx, A.domain());
    A.forward(ctx, x, Ax);
    A.adjoint(ctx, y, AHy);

    const auto left = dot<Real>(ctx, y, Ax);
    const auto right = dot<Real>(ctx, AHy, x);
    EXPECT_LT(std::abs(left - right), rounding<Real> * norm<Real>(ctx, Ax) * norm<Real>(ctx, y)) << "adjoint";

    // A (a x + x2) = a A x + A x2
    const std::complex<double> a{0.7, -1.9};
    auto combined = test::random_array<Real>(ctx, A.domain(), 23);
    Array<Complex> expected(ctx, A.range());
    Array<Complex> result(ctx, A.range());
    A.forward(ctx, combined, expected);
    axpby<Real>(ctx, a, Ax, 1, expected);
    axpby<Real>(ctx, a, x, 1, combined);
    A.forward(ctx, combined, result);
    EXPECT_LT(test::relative_error(ctx, result, expected), rounding<Real>) << "linearity";

    Array<Complex> normal(ctx, A.domain());
    Array<Complex> twice(ctx, A.domain());
    A.normal(ctx, x, normal);
    A.adjoint(ctx, Ax, twice);
    EXPECT_LT(test::relative_error(ctx, normal, twice), rounding<Real>) << "normal";

    // What was asked for with another context is not in this one's order.
    ctx.synchronize();
    for (const Context* other : {&single, &many}) {
      A.forward(*other, x, result);
      EXPECT_EQ(test::relative_error(*other, result, Ax), 0) << "threads";
      A.adjoint(*other, y, twice);
      EXPECT_EQ(test::relative_error(*other, twice, AHy), 0) << "threads";
    }
  }
}

TEST(Operators, SinglePrecision) { check_all<float>(); }
TEST(Operators, DoublePrecision) { check_all<double>(); }

TEST(Operators, ShapesAndDevicesAreChecked) {
  const Context ctx = test::device_context();
  const auto subject = make_sense_nufft<float>(ctx, {15, 26}, 4);
  Array<std::complex<float>> image(ctx, {15, 26});
  Array<std::complex<float>> turned(ctx, {26, 15});
  Array<std::complex<float>> samples(ctx, {4, 411});
  const auto& A = *subject;
  EXPECT_THROW(A.forward(ctx, turned, samples), ShapeError);
  EXPECT_THROW(A.forward(ctx, image, image), ShapeError);
  EXPECT_THROW(A.adjoint(ctx, samples, turned), ShapeError);
  EXPECT_THROW(A.normal(ctx, turned, image), ShapeError);
  const ArrayRef<std::complex<float>> elsewhere(image.data(), {15, 26}, Device{DeviceKind::cuda, 7});
  EXPECT_THROW(A.forward(ctx, elsewhere, samples), DeviceError);
  EXPECT_THROW(BlockDiagonal<float>(subject, 0), ShapeError);
  EXPECT_THROW(subject * subject, ShapeError);
}

}  // namespace
}  // namespace whorl
