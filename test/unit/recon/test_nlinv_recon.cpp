#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

using Pixel = std::complex<float>;

ReconOptions nlinv_options(Index sets = 1) {
  ReconOptions options{.method = ReconMethod::nlinv, .prewhiten = false};
  options.nlinv.sets = sets;
  options.nlinv.steps = 5;
  return options;
}

// The frames of two slices in turns.
Scan two_slices(const Context& ctx) {
  Scan scan = test::make_test_scan(ctx, {.spokes = 15});
  test::add_frame(ctx, scan, {.slice = 1}, {0, 2});
  test::add_frame(ctx, scan, {.repetition = 1}, 1.2F);
  test::add_frame(ctx, scan, {.slice = 1, .repetition = 1}, {0, 2.4F});
  return scan;
}

double distance(const Context& ctx, ArrayRef<const Pixel> a, ArrayRef<const Pixel> b) {
  return test::relative_error(ctx, clone(ctx.host(), a), clone(ctx.host(), b));
}

// Slices do not know of each other: the frames of one, alone, give the same images and maps to the last bit.
TEST(NlinvRecon, FramesAreASeriesOfTheirSlice) {
  const Context ctx = test::device_context();
  const Context host;
  for (const Index sets : {Index{1}, Index{2}}) {
    ReconOptions options = nlinv_options(sets);
    options.keep_maps = true;
    const Reconstruction all = reconstruct(ctx, two_slices(host), options);
    ASSERT_EQ(all.images.shape(), Shape({4, 1, 40, 48}));
    ASSERT_EQ(all.coil_maps.shape(), Shape({2, sets, 4, 1, 40, 48}));
    ASSERT_EQ(all.reports.size(), 4U);
    EXPECT_EQ(all.reports[0].residuals.size(), 6U);
    EXPECT_EQ(all.set_images.shape(), sets == 1 ? Shape({0}) : Shape({4, sets, 1, 40, 48}));
    for (int slice = 0; slice < 2; ++slice) {
      Scan scan = two_slices(host);
      std::erase_if(scan.frames, [&](const ScanFrame& frame) { return frame.index.slice != slice; });
      const Reconstruction one = reconstruct(ctx, std::move(scan), options);
      for (Index f = 0; f < 2; ++f) {
        EXPECT_EQ(distance(host, all.images.slice(2 * f + slice), one.images.slice(f)), 0);
        if (sets > 1) {
          EXPECT_EQ(distance(host, all.set_images.slice(2 * f + slice), one.set_images.slice(f)), 0);
        }
      }
      EXPECT_EQ(distance(host, all.coil_maps.slice(slice), one.coil_maps.slice(0)), 0);
    }
    // The second frame starts from the first, and so differs from what it is alone.
    Scan later = two_slices(host);
    later.frames.erase(later.frames.begin(), later.frames.begin() + 2);
    const Reconstruction alone = reconstruct(ctx, std::move(later), options);
    EXPECT_GT(distance(host, all.images.slice(2), alone.images.slice(0)), 1e-3);
  }
}

// Data of any magnitude, which are scaled inside; sets and maps too.
TEST(NlinvRecon, MagnitudesOfTheData) {
  const Context ctx = test::device_context();
  const Context host;
  const ReconOptions options = nlinv_options(2);
  const Reconstruction expected = reconstruct(ctx, test::make_test_scan(host, {.spokes = 15}), options);
  Scan quiet = test::make_test_scan(host, {.spokes = 15});
  const float tiny = std::ldexp(1.0F, -90);
  for (Pixel& sample : quiet.frames.front().data.span()) sample *= tiny;
  const Reconstruction found = reconstruct(ctx, std::move(quiet), options);
  const auto louder = [&](const Array<Pixel>& array) {
    Array<Pixel> scaled = clone(host, array.ref());
    for (Pixel& value : scaled.span()) value /= tiny;
    return scaled;
  };
  // Powers of two round nothing; the scale of the data is a quotient of sums.
  EXPECT_LT(test::relative_error(louder(found.images), expected.images), 1e-4);
  EXPECT_LT(test::relative_error(louder(found.set_images), expected.set_images), 1e-4);
}

// CG-SENSE with the maps of nlinv, of the same data, is close to the image that came with them. 21 of 75 spokes.
TEST(NlinvRecon, CoilMapsForLeastSquares) {
  const Context ctx = test::device_context();
  const Context host;
  // Both are regularized: without, CG-SENSE raises what so few spokes leave open.
  ReconOptions options{.prewhiten = false, .coil_maps = CoilMapMethod::nlinv, .cg_sense = {.lambda = 3e-3}};
  options.keep_maps = true;
  const auto scan = [&] { return test::make_test_scan(host, {.spokes = 21}); };
  const Reconstruction linear = reconstruct(ctx, scan(), options);
  const Reconstruction joint = reconstruct(ctx, scan(), {.method = ReconMethod::nlinv, .prewhiten = false});
  const auto difference =
      scaled_error<float>(host, magnitude<float>(host, linear.images), magnitude<float>(host, joint.images));
  std::printf("nlinv and CG-SENSE: scale %.4f, difference %.4f\n", difference.scale.real(), difference.nrmse);
  // One unit. The penalty of nlinv makes the image smaller: by some alpha / |c|^2, with 1/64 for the last alpha and 0.4 for
  // the scaled |c|.
  EXPECT_NEAR(difference.scale.real(), 1, 0.1);
  EXPECT_LT(difference.nrmse, 0.1);
  const EstimatedCoilMaps maps = estimate_coil_maps(ctx, scan(), options);
  EXPECT_EQ(distance(host, maps.maps.ref(), linear.coil_maps.ref().reshape(maps.maps.shape())), 0);
}

TEST(NlinvRecon, RefusesWhatDoesNotGoWithIt) {
  const Context ctx = test::device_context();
  const Context host;
  const auto refused = [&](ReconOptions options, const std::string& part) {
    try {
      reconstruct(ctx, test::make_test_scan(host, {.noise = 0.01, .spokes = 15}), options);
      ADD_FAILURE() << "expected a refusal with '" << part << "'";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  ReconOptions options = nlinv_options();
  options.error_bars.standard_deviation = true;
  options.prewhiten = true;
  refused(options, "not linear");
  options = nlinv_options();
  options.cg_sense.penalty = PenaltyKind::smoothness;
  refused(options, "nlinv has no such penalty");
  options = nlinv_options();
  options.certified_samples = 60;
  refused(options, "cg-sense");
  options = {.prewhiten = false, .coil_maps = CoilMapMethod::nlinv};
  options.nlinv.sets = 2;
  refused(options, "2 sets");
  options = {.method = ReconMethod::gridding, .prewhiten = false};
  options.keep_maps = true;
  refused(options, "no coil maps");
}

}  // namespace
}  // namespace whorl
