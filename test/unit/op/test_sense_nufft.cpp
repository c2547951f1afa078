// The transform of an image as the coils see it, against the transform after the maps, one after the other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "support/shared.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl {
namespace {

// Both sides take the same transforms of numbers that differ by rounding. A product with a map and a factor is off by
// three roundings u; a sum over coils by one for each; a fast transform by 0.6 u log2(points) (Schatzman, SIAM J. Sci.
// Comput. 17 (1996) 1150, sec. 2). There are two of them in a normal operator, the window of oversampling 2 amplifies
// what is before it by 2 at most, and both sides round.
template <class Real>
double rounding(const Nufft<Real>& nufft) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  const double points = static_cast<double>(nufft.domain().size() << nufft.grid().rank());
  return 4 * u * (3 + static_cast<double>(nufft.domain()[0]) + 2 * 0.6 * std::log2(points));
}

// Forward, adjoint and normal of `found_by` against those of `expected_of`, twice with equal bits.
template <class Real>
void expect_the_same(const Context& ctx, const LinearOperator<Real>& found_by, const LinearOperator<Real>& expected_of,
                     double allowed) {
  ASSERT_EQ(found_by.domain(), expected_of.domain());
  ASSERT_EQ(found_by.range(), expected_of.range());
  const auto x = test::random_array<Real>(ctx, found_by.domain(), 6);
  const auto y = test::random_array<Real>(ctx, found_by.range(), 7);

  Array<std::complex<Real>> samples_found(ctx, found_by.range());
  Array<std::complex<Real>> samples_expected(ctx, found_by.range());
  found_by.forward(ctx, x, samples_found);
  expected_of.forward(ctx, x, samples_expected);
  EXPECT_LT(test::relative_error(ctx, samples_found, samples_expected), allowed) << "forward";

  // What an image holds beforehand must not matter.
  auto found = test::random_array<Real>(ctx, found_by.domain(), 8);
  Array<std::complex<Real>> expected(ctx, found_by.domain());
  found_by.adjoint(ctx, y, found);
  expected_of.adjoint(ctx, y, expected);
  EXPECT_LT(test::relative_error(ctx, found, expected), allowed) << "adjoint";
  auto again = test::random_array<Real>(ctx, found_by.domain(), 9);
  found_by.adjoint(ctx, y, again);
  EXPECT_EQ(test::relative_error(ctx, again, found), 0) << "adjoint, repeated";

  fill<std::complex<Real>>(ctx, found, 1);
  found_by.normal(ctx, x, found);
  expected_of.normal(ctx, x, expected);
  EXPECT_LT(test::relative_error(ctx, found, expected), allowed) << "normal";
  found_by.normal(ctx, x, again);
  EXPECT_EQ(test::relative_error(ctx, again, found), 0) << "normal, repeated";
}

template <class Real>
void expect_the_composition(const Context& ctx, const Shape& image, Index coils, Index samples,
                            const NufftOptions& options) {
  SCOPED_TRACE(testing::Message() << to_string(image) << ", " << coils << " coils, " << sizeof(Real) << " bytes"
                                  << (options.normal == NormalMethod::toeplitz ? ", convolution" : ""));
  auto maps = test::random_array<Real>(ctx, image.with_front(coils), 5);
  const Nufft<Real> nufft(ctx, test::random_points(ctx, samples, image.rank()), image, coils, options);
  const SenseNufft<Real> fused(nufft, maps.share());
  const Sense<Real> sense(maps.share());
  const Operator<Real> composed = test::shared<Real>(nufft) * test::shared<Real>(sense);
  expect_the_same<Real>(ctx, fused, *composed, rounding(nufft));
}

template <class Real>
void expect_all(NormalMethod normal) {
  const Context ctx = test::device_context();
  const NufftOptions options{.tolerance = 1e-4, .oversampling = 2, .normal = normal};
  for (const Index coils : {1, 3, 5, 12}) {
    expect_the_composition<Real>(ctx, {18, 23}, coils, 400, options);
    expect_the_composition<Real>(ctx, {51, 33}, coils, 600, options);
    expect_the_composition<Real>(ctx, {9, 14, 11}, coils, 500, options);
    expect_the_composition<Real>(ctx, {1, 21, 8}, coils, 100, options);
  }
  // Lines with a kernel of their own on a GPU, of many coils and of few.
  for (const Index pixels : {80, 96, 128, 160, 192, 256, 512}) {
    expect_the_composition<Real>(ctx, {37, pixels}, 12, 400, options);
    expect_the_composition<Real>(ctx, {300, pixels}, 2, 400, options);
  }
}

TEST(SenseNufft, IsTheTransformAfterTheMapsInSinglePrecision) { expect_all<float>(NormalMethod::pair); }
TEST(SenseNufft, IsTheTransformAfterTheMapsInDoublePrecision) { expect_all<double>(NormalMethod::pair); }
TEST(SenseNufft, ConvolvesAfterTheMapsInSinglePrecision) { expect_all<float>(NormalMethod::toeplitz); }
TEST(SenseNufft, ConvolvesAfterTheMapsInDoublePrecision) { expect_all<double>(NormalMethod::toeplitz); }

// Batches of four, of one and of what is left: grids of 1024 x 1024 complex<double> take 16 MiB, of which a CPU takes
// four; the lines and planes of this convolution take 24 MB, of which a GPU takes two and a CPU one.
TEST(SenseNufft, SumsOnBeyondOneBatchOfCoils) {
  const Context ctx = test::device_context();
  expect_the_composition<double>(ctx, {512, 512}, 7, 60, {.tolerance = 1e-2, .oversampling = 2});
  expect_the_composition<double>(ctx, {60, 65, 62}, 5, 60,
                                 {.tolerance = 1e-2, .oversampling = 2, .normal = NormalMethod::toeplitz});
}

// Held to the definition: the exact transform of the products.
TEST(SenseNufft, IsTheExactTransformOfTheProducts) {
  const Context ctx = test::device_context();
  const Shape image{13, 18};
  constexpr Index coils = 5;
  constexpr double tolerance = 1e-8;
  const auto points = test::random_points(ctx, 300, 2);
  auto maps = test::random_array<double>(ctx, image.with_front(coils), 1);
  const Nufft<double> nufft(ctx, points, image, coils, {.tolerance = tolerance});
  const Dft<double> exact(ctx, points, image, coils);
  const Sense<double> sense(maps.share());
  const Operator<double> expected = test::shared<double>(exact) * test::shared<double>(sense);
  const SenseNufft<double> found(nufft, maps.share());
  const auto x = test::random_array<double>(ctx, image, 2);
  const auto y = test::random_array<double>(ctx, found.range(), 3);
  Array<std::complex<double>> samples(ctx, found.range());
  Array<std::complex<double>> exact_samples(ctx, found.range());
  found.forward(ctx, x, samples);
  expected.forward(ctx, x, exact_samples);
  EXPECT_LT(test::relative_error(ctx, samples, exact_samples), tolerance);
  Array<std::complex<double>> combined(ctx, image);
  Array<std::complex<double>> exact_image(ctx, image);
  found.adjoint(ctx, y, combined);
  expected.adjoint(ctx, y, exact_image);
  EXPECT_LT(test::relative_error(ctx, combined, exact_image), tolerance);
}

// No image of a coil is ever there: forward takes what the transform of the coils takes, and no more than the lines of
// a block for each thread of a CPU.
TEST(SenseNufft, TakesNoMemoryForTheImagesOfTheCoils) {
  const Context ctx = test::device_context();
  const Shape image{120, 100};
  constexpr Index coils = 12;
  const Nufft<float> nufft(ctx, test::random_points(ctx, 5000, 2), image, coils);
  auto maps = test::random_array<float>(ctx, nufft.domain(), 1);
  const SenseNufft<float> fused(nufft, maps.share());
  const auto x = test::random_array<float>(ctx, image, 2);
  const auto coil_images = test::random_array<float>(ctx, nufft.domain(), 3);
  Array<std::complex<float>> samples(ctx, nufft.range());
  const auto taken_by = [&](const LinearOperator<float>& op, ArrayRef<const std::complex<float>> from) {
    const Context fresh = test::device_context();
    const auto before = fresh.pool().statistics();
    op.forward(fresh, from, samples);
    fresh.synchronize();
    return fresh.pool().statistics().peak - before.in_use;
  };
  ctx.synchronize();
  constexpr std::size_t lines = 2 * 16 * 100 * sizeof(std::complex<float>);
  EXPECT_LE(taken_by(fused, x), taken_by(nufft, coil_images) + lines);
}

TEST(SenseNufft, TakesMapsAndDataFromTheHostInTiles) {
  const Context ctx = test::device_context();
  const Shape image{9, 12, 10};
  const Index coils = 5;  // the last tile has one
  for (const NormalMethod normal : {NormalMethod::pair, NormalMethod::toeplitz}) {
    const Nufft<float> nufft(ctx, test::random_points(ctx, 300, 3), image, coils,
                             {.tolerance = 1e-4, .normal = normal});
    auto maps = test::random_array<float>(ctx.host(), image.with_front(coils), 5);
    const SenseNufft<float> whole(nufft, clone<std::complex<float>>(ctx, maps.ref()));
    const SenseNufft<float> tiled(nufft, maps.share(), 2);
    expect_the_same<float>(ctx, tiled, whole, rounding(nufft));

    const auto y = test::random_array<float>(ctx, whole.range(), 7);
    const Array<std::complex<float>> y_on_host = to_host<const std::complex<float>>(ctx, y.ref());
    Array<std::complex<float>> expected(ctx, image);
    whole.adjoint(ctx, y, expected);
    for (const SenseNufft<float>* op : {&whole, &tiled}) {
      auto found = test::random_array<float>(ctx, image, 9);
      op->adjoint_from_host(ctx, y_on_host, found);
      EXPECT_LT(test::relative_error(ctx, found, expected), rounding(nufft)) << "adjoint from the host";
    }
    EXPECT_THROW(SenseNufft<float>(nufft, maps.share(), 0), ValueError);
  }
}

// A GPU gives the same bits with tiles of any number of coils, and from two halves of the coils, whose images are added. In
// 2D it spreads one or two coils in another order than more. A CPU does so to rounding: it transforms small grids of several
// coils together.
TEST(SenseNufft, SumsDoNotDependOnTheDivisionOfTheCoils) {
  const Context ctx = test::device_context();
  const bool on_gpu = ctx.device().kind != DeviceKind::cpu;
  using Data = Array<std::complex<float>>;
  const auto expect_same = [&](const Data& found, const Data& expected, double most, const std::string& what) {
    EXPECT_LE(test::relative_error(ctx, found, expected), on_gpu ? 0 : most) << what;
  };
  for (const Shape& image : {Shape{9, 12, 10}, Shape{40, 31}}) {
    const Index coils = 11;  // more than a block of a GPU takes together
    const Index half = coils / 2;
    const auto points = test::random_points(ctx, 500, image.rank());
    for (const NormalMethod normal : {NormalMethod::pair, NormalMethod::toeplitz}) {
      const NufftOptions options{.tolerance = 1e-4, .normal = normal};
      const Nufft<float> nufft(ctx, points, image, coils, options);
      auto maps = test::random_array<float>(ctx.host(), image.with_front(coils), 5);
      const auto of_coils = [&](Index first, Index end) {
        return SenseNufft<float>(Nufft<float>(nufft, end - first),
                                 clone<std::complex<float>>(ctx, maps.ref().range(first, end)),
                                 end - first == coils ? CoilsOfSum::all : CoilsOfSum::part);
      };
      const SenseNufft<float> whole = of_coils(0, coils);
      const auto x = test::random_array<float>(ctx, image, 6);
      const auto y = test::random_array<float>(ctx, whole.range(), 7);
      Data normal_image(ctx, image);
      Data adjoint_image(ctx, image);
      whole.normal(ctx, x, normal_image);
      whole.adjoint(ctx, y, adjoint_image);
      for (const Index tile : {1, 2, 3, 4, 8}) {
        if (on_gpu && image.rank() == 2 && coils % tile < 3) continue;
        const SenseNufft<float> tiled(nufft, maps.share(), tile);
        Data found(ctx, image);
        tiled.normal(ctx, x, found);
        expect_same(found, normal_image, rounding(nufft), "normal, tile");
        tiled.adjoint(ctx, y, found);
        expect_same(found, adjoint_image, rounding(nufft), "adjoint, tile");
      }
      Data sum(ctx, image);
      Data second(ctx, image);
      of_coils(0, half).normal(ctx, x, sum);
      of_coils(half, coils).normal(ctx, x, second);
      axpby<float>(ctx, 1, second, 1, sum);
      expect_same(sum, normal_image, rounding(nufft), "normal, halves");
      of_coils(0, half).adjoint(ctx, y.ref().range(0, half), sum);
      of_coils(half, coils).adjoint(ctx, y.ref().range(half, coils), second);
      axpby<float>(ctx, 1, second, 1, sum);
      expect_same(sum, adjoint_image, rounding(nufft), "adjoint, halves");
    }
  }
}

TEST(SenseNufft, MapsAreChecked) {
  const Context ctx = test::device_context();
  const Nufft<float> nufft(ctx, test::random_points(ctx, 20, 2), {8, 9}, 2);
  EXPECT_THROW(SenseNufft<float>(nufft, Array<std::complex<float>>(ctx, {2, 9, 8})), ShapeError);
}

TEST(SenseNufft, MapsLieOnTheDeviceOfTheTransform) {
  const Context ctx = test::device_context();
  const Nufft<float> nufft(ctx, test::random_points(ctx, 20, 2), {8, 9}, 2);
  // The address is not looked at.
  const bool on_cpu = ctx.device().kind == DeviceKind::cpu;
  Array<std::complex<float>> memory(ctx, {2, 8, 9});
  const ArrayRef<std::complex<float>> elsewhere(memory.data(), memory.shape(),
                                                on_cpu ? Device{DeviceKind::cuda, 0} : Device{});
  EXPECT_THROW(SenseNufft<float>(nufft, Array<std::complex<float>>::refer_to(elsewhere)), DeviceError);
}

}  // namespace
}  // namespace whorl
