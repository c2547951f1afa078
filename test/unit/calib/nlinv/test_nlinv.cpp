#include "whorl/calib/nlinv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include "calib/nlinv_tiles.hpp"
#include "nlinv/nlinv_phantom.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/cartesian.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

constexpr Index coils = 8;

Scan measured(const Phantom& object, Trajectory trajectory, Index n, double noise) {
  return phantom_scan(Context(), object,
                      test::make_trajectory_scan(std::make_shared<Trajectory>(std::move(trajectory)), {n, n, 1}),
                      {.coils = coils, .noise_standard_deviation = noise});
}

Nufft<float> transform_of(const Context& ctx, const Scan& scan, NormalMethod normal = NormalMethod::toeplitz) {
  return Nufft<float>(ctx, scan.frames.front().trajectory->points, scan.image_shape(), coils,
                      {.tolerance = 1e-3, .normal = normal});
}

template <class Real>
Array<std::complex<Real>> on_host(const Context& ctx, const Array<std::complex<Real>>& array) {
  return to_host<const std::complex<Real>>(ctx, array);
}

struct Errors {
  double nlinv;
  double gridded;  // of zeros where nothing was measured: adjoint of the samples, by their density
};

Errors errors_of(const Context& ctx, const Phantom& object, Trajectory trajectory, Index n) {
  const Scan scan = measured(object, std::move(trajectory), n, 0.005);
  const Nufft<float> nufft = transform_of(ctx, scan);
  Nlinv<float> nlinv(ctx, {n, n}, coils);
  const NlinvReport report = nlinv.solve(ctx, nufft, scan.frames.front().data);
  EXPECT_LE(report.steps.size(), 7U);
  EXPECT_LT(report.misfit, 0.2 * report.steps[1].misfit);
  const Array<Complex> image = nlinv.image(ctx);

  // The root of the sum of squares of the coils' images needs no maps, and shows the same image.
  const auto k = scan.frames.front().trajectory->points.view<2>();
  Array<Complex> weighted = clone(Context(), scan.frames.front().data.ref());
  for (Index c = 0; c < coils; ++c) {
    for (Index j = 0; j < k.extent(0); ++j)
      weighted.view<2>()(c, j) *= static_cast<float>(std::hypot(k(j, 0), k(j, 1)));
  }
  const Array<Complex> here = clone(ctx, weighted.ref());
  Array<Complex> images(ctx, nufft.domain());
  nufft.adjoint(ctx, here, images);
  const Array<float> root = root_sum_of_squares<float>(ctx, images);
  Array<Complex> gridded(ctx, root.shape());
  to_complex<float>(ctx, root, gridded);
  return {test::image_error(ctx, image, object, coils), test::image_error(ctx, gridded, object, coils)};
}

// No calibration region: 31 golden-angle spokes of the 151 that n = 96 asks for cross the center in one point. The error
// that is left is that of the undersampling and of the edges, which neither gridding nor known maps are free of: with the
// true maps, CG-SENSE ends at 6 to 9 % here. The bound is half of what gridding leaves.
TEST(Nlinv, ImageOfUndersampledSpokes) {
  const Context ctx = test::device_context();
  for (const Phantom& object : {brain_phantom(2), shepp_logan(2, PhantomContrast::modified)}) {
    const Errors errors = errors_of(ctx, object, radial_trajectory(Context(), 31, 192, SpokeOrder::golden_angle), 96);
    std::printf("%s, spokes: nlinv %.4f, gridding %.4f\n", object.name.c_str(), errors.nlinv, errors.gridded);
    EXPECT_LT(errors.nlinv, 0.5 * errors.gridded);
    EXPECT_LT(errors.nlinv, 0.15);
  }
}

TEST(Nlinv, ImageOfAnUndersampledSpiral) {
  const Context ctx = test::device_context();
  const Phantom object = brain_phantom(2);
  // 8 arms of 2 turns sample 32 of 96 circles.
  const Errors errors = errors_of(ctx, object, spiral_trajectory(Context(), 8, 600, 2), 96);
  std::printf("spiral: nlinv %.4f, gridding %.4f\n", errors.nlinv, errors.gridded);
  EXPECT_LT(errors.nlinv, 0.5 * errors.gridded);
}

// Data times a factor give the image times this factor: alpha is in no unit of the receiver.
TEST(Nlinv, TheScaleOfTheDataIsThatOfTheImage) {
  const Context ctx = test::device_context();
  const Scan scan =
      measured(brain_phantom(2), radial_trajectory(Context(), 21, 96, SpokeOrder::golden_angle), 48, 0.005);
  const Nufft<float> nufft = transform_of(ctx, scan);
  Array<Complex> louder = clone(Context(), scan.frames.front().data.ref());
  for (Complex& sample : louder.span()) sample *= 1024.0F;
  Nlinv<float> one(ctx, {48, 48}, coils);
  Nlinv<float> other(ctx, {48, 48}, coils);
  one.solve(ctx, nufft, scan.frames.front().data);
  other.solve(ctx, nufft, louder);
  const Array<Complex> expected = on_host(ctx, one.image(ctx));
  Array<Complex> found = on_host(ctx, other.image(ctx));
  for (Complex& value : found.span()) value /= 1024.0F;
  // A power of two rounds nothing, but for the scale itself.
  EXPECT_LT(test::relative_error(found, expected), 1e-4);
}

// The sum over the coils of rho c is the image of the coils: image times maps gives data that fit as well as the report says.
TEST(Nlinv, ImageAndMapsReproduceTheData) {
  const Context ctx = test::device_context();
  const Scan scan =
      measured(brain_phantom(2), radial_trajectory(Context(), 31, 96, SpokeOrder::golden_angle), 48, 0.005);
  const Nufft<float> nufft = transform_of(ctx, scan);
  const Array<Complex> data = clone(ctx, scan.frames.front().data.ref());
  Nlinv<float> nlinv(ctx, {48, 48}, coils);
  const NlinvReport report = nlinv.solve(ctx, nufft, data);
  const Array<Complex> image = on_host(ctx, nlinv.image(ctx));
  const Array<Complex> maps = on_host(ctx, nlinv.maps(ctx));
  ASSERT_EQ(maps.shape(), Shape({1, coils, 48, 48}));
  Array<Complex> product(Context(), {coils, 48, 48});
  for (Index i = 0; i < product.size(); ++i) product.data()[i] = maps.data()[i] * image.data()[i % image.size()];
  for (Index r = 0; r < image.size(); ++r) {
    double square = 0;
    for (Index c = 0; c < coils; ++c) square += std::norm(maps.data()[c * image.size() + r]);
    ASSERT_NEAR(square, 1, 1e-5);  // roundings of eight squares in float
  }
  const Array<Complex> here = clone(ctx, product.ref());
  Array<Complex> samples(ctx, nufft.range());
  nufft.forward(ctx, here, samples);
  // The report's misfit is from the normal operator, whose tolerance is 1e-3 of the data.
  EXPECT_NEAR(test::relative_error(ctx, samples, data), report.misfit, 2e-3);
}

// What a device computes differs by rounding, which the steps of Gauss-Newton do not amplify by more than 1e6 in double.
TEST(Nlinv, IsTheSameOnEveryDevice) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const Scan scan = measured(shepp_logan(2, PhantomContrast::modified),
                             radial_trajectory(Context(), 21, 80, SpokeOrder::golden_angle), 40, 0.005);
  const auto& points = scan.frames.front().trajectory->points;
  Array<std::complex<double>> data(host, scan.frames.front().data.shape());
  std::copy(scan.frames.front().data.span().begin(), scan.frames.front().data.span().end(), data.span().begin());
  const NufftOptions options = same_on_every_device<double>(ctx, {40, 40}, points.extent(0),
                                                            {.tolerance = 1e-10, .normal = NormalMethod::toeplitz});
  const auto image_on = [&](const Context& c) {
    const Nufft<double> nufft(c, points, {40, 40}, coils, options);
    Nlinv<double> nlinv(c, {40, 40}, coils, {.sets = 2, .steps = 5});
    nlinv.solve(c, nufft, data);
    return on_host(c, nlinv.image(c));
  };
  EXPECT_LT(test::relative_error(image_on(ctx), image_on(host)), 1e-9);
}

// A field of view of 64 pixels in which an object of 96 folds over along y. In the overlap a voxel has two sensitivities:
// one set of maps does not describe the data, two sets do (Holme et al. 2019, figure 3). Every second line is missing, but for
// 16 in the center.
TEST(Nlinv, TwoSetsDescribeAnObjectLargerThanTheFieldOfView) {
  const Context ctx = test::device_context();
  const Index n = 96;
  const Index shorter = 64;
  const Phantom object = brain_phantom(2);
  const Array<std::uint8_t> mask = cartesian_mask(Context(), {.matrix = {n, shorter, 1},
                                                              .undersampling = Undersampling::regular,
                                                              .acceleration = {2, 1},
                                                              .calibration = {16, 0}});
  Trajectory trajectory = cartesian_trajectory(Context(), n, mask);
  const Scan scan = measured(object, std::move(trajectory), n, 0.002);
  // The folded images of the coils, and the root of their sum of squares.
  const Context host;
  const Array<float> truth = rasterize<float>(host, object, {n, n, 1}, 8);
  const auto maps = phantom_coil_maps<float>(host, make_phantom_coils(host, {n, n, 1}, coils));
  Array<Complex> folded = zeros<Complex>(host, {coils, shorter, n});
  for (Index c = 0; c < coils; ++c) {
    for (Index y = 0; y < n; ++y) {
      const Index to = ((y - n / 2 + shorter / 2) % shorter + shorter) % shorter;
      for (Index x = 0; x < n; ++x) {
        folded.view<3>()(c, to, x) += maps.view<3>()(c, y, x) * truth.view<2>()(y, x);
      }
    }
  }
  const Array<float> expected = root_sum_of_squares<float>(host, folded);
  const Nufft<float> nufft(ctx, scan.frames.front().trajectory->points, {shorter, n}, coils,
                           {.tolerance = 1e-3, .normal = NormalMethod::toeplitz});
  const auto error_with = [&](Index sets) {
    Nlinv<float> nlinv(ctx, {shorter, n}, coils, {.sets = sets, .steps = 12});
    nlinv.solve(ctx, nufft, scan.frames.front().data);
    EXPECT_EQ(nlinv.set_images(ctx).shape(), Shape({sets, shorter, n}));
    const Array<Complex> image = on_host(ctx, nlinv.image(ctx));
    const Array<float> found = magnitude<float>(host, image);
    return scaled_error<float>(host, found, expected).nrmse;
  };
  const double one = error_with(1);
  const double two = error_with(2);
  std::printf("folded: one set %.4f, two sets %.4f\n", one, two);
  EXPECT_LT(two, 0.6 * one);
}

// A beating ventricle, 11 spokes per frame of 50 ms of the 113 that n = 72 asks for. A frame alone has too few samples;
// the frame before tells the rest.
TEST(Nlinv, AFrameTakesFromTheFrameBefore) {
  const Context ctx = test::device_context();
  const Index n = 72;
  const Index spokes = 11;
  const int frames = 8;
  const Trajectory all = radial_trajectory(Context(), spokes * frames, 2 * n, SpokeOrder::golden_angle);
  Nlinv<float> series(ctx, {n, n}, coils);
  Nlinv<float> apart(ctx, {n, n}, coils, {.damping = 0});
  for (int f = 0; f < frames; ++f) {
    Trajectory part;
    part.points = Array<double>(Context(), {spokes * 2 * n, 2});
    copy<double>(all.points.range(f * spokes * 2 * n, (f + 1) * spokes * 2 * n), part.points);
    part.readout_length = 2 * n;
    const Phantom object = beating_phantom(0.05 * f);
    const Scan scan = measured(object, std::move(part), n, 0.005);
    const Nufft<float> nufft = transform_of(ctx, scan);
    series.solve(ctx, nufft, scan.frames.front().data);
    Nlinv<float> single(ctx, {n, n}, coils);
    single.solve(ctx, nufft, scan.frames.front().data);
    apart.solve(ctx, nufft, scan.frames.front().data);
    const Array<Complex> independent = apart.image(ctx);
    const Array<Complex> in_series = series.image(ctx);
    const Array<Complex> of_one = single.image(ctx);
    const double error = test::image_error(ctx, in_series, object, coils);
    const double alone = test::image_error(ctx, of_one, object, coils);
    std::printf("frame %d: in the series %.4f, alone %.4f\n", f, error, alone);
    // The scale of the data is that of the first frame, so alpha is a little different.
    EXPECT_NEAR(test::image_error(ctx, independent, object, coils), alone, 0.1 * alone);
    if (f == 0) {
      EXPECT_EQ(error, alone);
    } else {
      EXPECT_LT(error, alone) << "frame " << f;
    }
  }
}

// Coils in parts, whose arrays lie on the host: products and sums are the same, in the same order.
TEST(Nlinv, CoilsInPartsGiveTheSame) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const Scan scan =
      measured(brain_phantom(2), radial_trajectory(Context(), 15, 64, SpokeOrder::golden_angle), 32, 0.005);
  const Nufft<float> nufft = transform_of(ctx, scan);
  const Array<Complex>& data = scan.frames.front().data;
  // A GPU's kernels may add up other numbers of coils in other orders: rounding of float, 6e-8, which conjugate gradient
  // enlarges.
  const double most = ctx.device().kind == DeviceKind::cpu ? 0 : 1e-4;
  for (const NlinvOptions& options : {NlinvOptions{.steps = 4}, NlinvOptions{.sets = 2, .steps = 2}}) {
    Nlinv<float> whole(ctx, {32, 32}, coils, options);
    for (int frame = 0; frame < 2; ++frame) whole.solve(ctx, nufft, data);
    for (const Index at_once : {4, 3}) {
      const detail::NlinvTiles<float> tiles{at_once, [&](const Shape& shape) { return Array<Complex>(host, shape); }};
      Nlinv<float> parts = tiles.solver(ctx, {32, 32}, coils, options);
      for (int frame = 0; frame < 2; ++frame) parts.solve(ctx, nufft, data);
      const Array<Complex> maps = parts.maps(ctx);
      EXPECT_EQ(maps.device(), host.device());
      EXPECT_LE(test::relative_error(ctx, parts.image(ctx), whole.image(ctx)), most) << at_once;
      EXPECT_LE(test::relative_error(ctx, parts.set_images(ctx), whole.set_images(ctx)), most) << at_once;
      EXPECT_LE(test::relative_error(maps, on_host(ctx, whole.maps(ctx))), most) << at_once;
    }
  }
}

template <class Expected>
void expect_refusal(const std::function<void()>& work, const std::string& part) {
  try {
    work();
    ADD_FAILURE() << "expected a refusal with '" << part << "'";
  } catch (const Expected& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Nlinv, RefusesWhatItCanNotSolve) {
  const Context ctx = test::device_context();
  const Scan scan = measured(brain_phantom(2), radial_trajectory(Context(), 5, 32, SpokeOrder::golden_angle), 16, 0);
  const Nufft<float> nufft = transform_of(ctx, scan);
  const auto with = [&](const NlinvOptions& options) { Nlinv<float>(ctx, {16, 16}, coils, options); };
  expect_refusal<ValueError>([&] { with({.sets = 0}); }, "sets");
  expect_refusal<ValueError>([&] { with({.steps = 0}); }, "steps");
  expect_refusal<ValueError>([&] { with({.alpha = 0}); }, "alpha");
  expect_refusal<ValueError>([&] { with({.reduction = 0.5}); }, "reduction");
  expect_refusal<ValueError>([&] { with({.damping = 1.5}); }, "damping");
  expect_refusal<ValueError>([&] { with({.period = 0.5}); }, "period");
  expect_refusal<ShapeError>([&] { Nlinv<float>(ctx, {16}, coils); }, "expected [y, x]");
  expect_refusal<ShapeError>([&] { Nlinv<float>(ctx, {16, 16}, 0); }, "0 coils");
  Nlinv<float> nlinv(ctx, {16, 16}, coils);
  expect_refusal<ValueError>([&] { nlinv.image(ctx); }, "no frame");
  Array<Complex> data = zeros<Complex>(ctx.host(), nufft.range());
  expect_refusal<ValueError>([&] { nlinv.solve(ctx, nufft, data); }, "all data are zero");
  data.data()[3] = std::numeric_limits<float>::quiet_NaN();
  expect_refusal<ValueError>([&] { nlinv.solve(ctx, nufft, data); }, "not finite");
  const Array<Complex> fewer = zeros<Complex>(ctx.host(), {coils, 7});
  expect_refusal<ShapeError>([&] { nlinv.solve(ctx, nufft, fewer); }, "expected [coil, sample]");
  Nlinv<float> wider(ctx, {16, 18}, coils);
  expect_refusal<ShapeError>([&] { wider.solve(ctx, nufft, data); }, "takes images");
}

TEST(Nlinv, CanBeCancelled) {
  const Context ctx = test::device_context();
  const Scan scan = measured(brain_phantom(2), radial_trajectory(Context(), 5, 32, SpokeOrder::golden_angle), 16, 0);
  const Nufft<float> nufft = transform_of(ctx, scan);
  Nlinv<float> nlinv(ctx, {16, 16}, coils);
  ctx.request_cancel();
  EXPECT_THROW(nlinv.solve(ctx, nufft, scan.frames.front().data), Cancelled);
}

}  // namespace
}  // namespace whorl
