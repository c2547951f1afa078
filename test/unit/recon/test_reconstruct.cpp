#include "whorl/recon/reconstruct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/compare.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/trajectory/kooshball.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

class Recon : public testing::Test {
 protected:
  Reconstruction run(Scan scan, const ReconOptions& options) { return reconstruct(ctx, std::move(scan), options); }
  Scan scan(const test::TestScanOptions& options = {}) { return test::make_test_scan(ctx, options); }

  // Least-squares scale of |a| onto |b|, and the relative difference that it leaves.
  std::pair<double, double> match(const Array<Complex>& a, const Array<Complex>& b) const {
    const auto error = scaled_error<float>(ctx, magnitude<float>(ctx, a), magnitude<float>(ctx, b));
    return {error.scale.real(), error.nrmse};
  }

  const Context ctx{{.threads = 2}};
};

TEST_F(Recon, GriddingAndLeastSquaresGiveOneUnit) {
  const auto gridding = run(scan(), {.method = ReconMethod::gridding, .prewhiten = false});
  const auto iterative = run(scan(), {.prewhiten = false});
  const auto [scale, difference] = match(gridding.images, iterative.images);
  // Fully sampled spokes of an object with sharp edges: the two differ where they ring, which at this small matrix is
  // about a tenth of the image (test/reference/test_phantom.cpp prints 9 % for 128 pixels).
  EXPECT_NEAR(scale, 1, 0.03);
  EXPECT_LT(difference, 0.12);
  EXPECT_EQ(gridding.images.shape(), (Shape{1, 1, 40, 48}));
  EXPECT_TRUE(gridding.reports.empty());
  ASSERT_EQ(iterative.reports.size(), 1U);
  EXPECT_LT(iterative.reports[0].residuals.back(), 0.02);
}

TEST_F(Recon, AConstScanStaysAsItIs) {
  Scan own = scan();
  // The scan in memory of the caller.
  Array<Complex> memory = clone(ctx, own.frames[0].data);
  Scan referring = clone(ctx, own);
  referring.frames[0].data = Array<Complex>::refer_to(memory);
  const ReconOptions options{.cg_sense = {.iterations = 2}};
  const auto kept = reconstruct(ctx, std::as_const(referring), options);
  EXPECT_EQ(test::relative_error(memory, own.frames[0].data), 0);
  EXPECT_EQ(referring.frames[0].data.data(), memory.data());
  const auto used = reconstruct(ctx, std::move(own), options);
  EXPECT_EQ(test::relative_error(kept.images, used.images), 0);
}

TEST_F(Recon, TheImageFollowsTheGainAndLambdaDoesNotSeeIt) {
  const ReconOptions options{.prewhiten = false, .cg_sense = {.lambda = 0.05}};
  const auto reference = run(scan(), options);
  Scan louder = scan();
  for (auto& sample : louder.frames[0].data.span()) sample *= 1024.0F;  // exact in floating point
  auto image = run(std::move(louder), options).images;
  for (auto& pixel : image.span()) pixel /= 1024.0F;
  // Only the threshold arithmetic of the maps sees rounding.
  EXPECT_LT(test::relative_error(image, reference.images), 1e-5);
}

TEST_F(Recon, LambdaPullsTheImageTowardsZero) {
  const auto free = run(scan(), {.prewhiten = false, .cg_sense = {.lambda = 0}});
  const auto held = run(scan(), {.prewhiten = false, .cg_sense = {.lambda = 0.3}});
  EXPECT_LT(match(held.images, free.images).first, 10);
  EXPECT_GT(match(held.images, free.images).first, 1.1);
}

TEST_F(Recon, PrewhiteningUndoesTheGainOfACoil) {
  const auto reference = run(scan({.noise = 0.01}), {});
  Scan unequal = scan({.noise = 0.01});
  for (auto& sample : unequal.frames[0].data.slice(1).span()) sample *= 16.0F;
  for (auto& sample : unequal.noise.slice(1).span()) sample *= 16.0F;
  const auto [scale, difference] = match(run(std::move(unequal), {}).images, reference.images);
  EXPECT_NEAR(scale, 1, 1e-3);
  EXPECT_LT(difference, 1e-3);
}

TEST_F(Recon, WithoutANoiseScanTheEdgeOfKSpaceServes) {
  Scan silent = scan({.noise = 0.02});
  silent.noise = {};
  const auto result = run(std::move(silent), {.method = ReconMethod::gridding});
  EXPECT_NE(result.notes.at(0).find("edge of k-space"), std::string::npos) << result.notes.at(0);
}

TEST_F(Recon, OtherMapsCombinationsAndDensitiesAgree) {
  const auto reference = run(scan(), {.method = ReconMethod::gridding, .prewhiten = false});
  std::vector<ReconOptions> variants;
  variants.push_back({.prewhiten = false, .coil_maps = CoilMapMethod::walsh});
  variants.push_back({.method = ReconMethod::gridding, .prewhiten = false, .density = DensityMethod::radial});
  variants.push_back(
      {.method = ReconMethod::gridding, .prewhiten = false, .gridding = {.combination = CombinationMethod::matched}});
  variants.push_back({.method = ReconMethod::gridding, .prewhiten = false, .virtual_coils = 3});
  for (const ReconOptions& options : variants) {
    const auto [scale, difference] = match(run(scan(), options).images, reference.images);
    EXPECT_NEAR(scale, 1, 0.06);
    EXPECT_LT(difference, 0.12);
  }
}

TEST_F(Recon, MapsThatCameWithTheScanAreTaken) {
  const ReconOptions estimate{.prewhiten = false, .cg_sense = {.iterations = 4, .tolerance = 0}};
  const ReconOptions take{
      .prewhiten = false, .coil_maps = CoilMapMethod::file, .cg_sense = {.iterations = 4, .tolerance = 0}};
  const auto reference = run(scan(), estimate);
  Scan with_maps = scan();
  auto maps = estimate_coil_maps(ctx, scan(), estimate).maps;
  for (auto& value : maps.span()) value *= 8.0F;  // their scale does not count
  with_maps.coil_maps = Array<Complex>(ctx, maps.shape().tail());
  copy<Complex>(maps.slice(0), with_maps.coil_maps);
  const auto taken = run(std::move(with_maps), take);
  // Scaling the maps to a sum of 1 rounds them once more, by 2^-24 of their values; few iterations amplify that little.
  EXPECT_LT(test::relative_error(taken.images, reference.images), 1e-5);

  EXPECT_THROW(run(scan(), take), ValueError);  // none came
  Scan foreign = scan();
  foreign.coil_maps = Array<Complex>(ctx, {2, 1, 40, 48});
  EXPECT_THROW(run(std::move(foreign), take), ShapeError);
  Scan several = scan();
  several.coil_maps = Array<Complex>(ctx, {4, 1, 40, 48});
  test::add_frame(ctx, several, {.slice = 1}, 1);
  EXPECT_THROW(run(std::move(several), take), ValueError);
}

TEST_F(Recon, WeightsOfTheFileAreUsedAndNeverSquared) {
  Scan weighted = scan();
  const auto ramp = radial_density<float>(ctx, *weighted.frames[0].trajectory, weighted.image_shape());
  weighted.frames[0].weights = std::make_shared<const Array<float>>(clone(ctx, ramp.ref()));
  const auto from_file = run(std::move(weighted), {.method = ReconMethod::gridding, .prewhiten = false});
  const auto analytic =
      run(scan(), {.method = ReconMethod::gridding, .prewhiten = false, .density = DensityMethod::radial});
  EXPECT_EQ(test::relative_error(from_file.images, analytic.images), 0);
  EXPECT_THROW(run(scan(), {.method = ReconMethod::gridding, .density = DensityMethod::file}), ValueError);
  const auto even = run(scan(), {.method = ReconMethod::gridding, .prewhiten = false, .density = DensityMethod::none});
  EXPECT_GT(match(even.images, analytic.images).second, 0.2);
}

TEST_F(Recon, FramesKeepTheirOrderAndSlicesTheirMaps) {
  Scan several = scan();
  test::add_frame(ctx, several, {.slice = 0, .repetition = 1}, 2);
  test::add_frame(ctx, several, {.slice = 1}, {0, 3});
  const auto result = run(std::move(several), {.prewhiten = false, .cg_sense = {.iterations = 8}});
  ASSERT_EQ(result.frames.size(), 3U);
  EXPECT_EQ(result.frames[1].index.repetition, 1);
  EXPECT_EQ(result.frames[2].index.slice, 1);
  const auto frame = [&](Index i) { return clone(ctx, result.images.slice(i)); };
  EXPECT_NEAR(match(frame(0), frame(1)).first, 2, 1e-4);
  EXPECT_NEAR(match(frame(0), frame(2)).first, 3, 1e-3);
  EXPECT_EQ(result.reports.size(), 3U);
}

// One solver takes all five; each ends by itself. The maps are given: frames of a scan share them.
TEST_F(Recon, FramesSolvedTogetherAreThoseSolvedAlone) {
  const auto several = [&] {
    Scan frames = scan();
    for (int f = 1; f < 5; ++f) test::add_frame(ctx, frames, {.repetition = f}, static_cast<float>(1 + f));
    frames.coil_maps = Array<Complex>(ctx, {4, 1, 40, 48});
    fill<Complex>(frames.coil_maps, 0.5F);
    return frames;
  };
  const ReconOptions options{.prewhiten = false, .coil_maps = CoilMapMethod::file, .cg_sense = {.iterations = 8}};
  const auto together = run(several(), options);
  ASSERT_EQ(together.reports.size(), 5U);
  for (std::size_t f = 0; f < 5; ++f) {
    Scan one = several();
    ScanFrame frame = std::move(one.frames[f]);
    one.frames.clear();
    one.frames.push_back(std::move(frame));
    const auto alone = run(std::move(one), options);
    EXPECT_EQ(alone.reports[0].residuals, together.reports[f].residuals) << f;
    EXPECT_EQ(test::relative_error(clone(ctx, together.images.slice(static_cast<Index>(f))),
                                   clone(ctx, alone.images.slice(0))),
              0)
        << f;
  }
}

TEST_F(Recon, LambdaIsChosenOnceForASlice) {
  const auto noisy = [&] { return scan({.noise = 0.2, .spokes = 16}); };
  Scan several = noisy();
  test::add_frame(ctx, several, {.slice = 1}, 2);
  test::add_frame(ctx, several, {.slice = 0, .repetition = 1}, 0.5);
  // The automatic tolerance of a NUFFT depends on lambda, where that is given, and ESPIRiT's maps on the noise, where that
  // is known: it is not the same part of both slices.
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 5}, .nufft = {.tolerance = 1e-4}};
  options.cg_sense.lambda_search = LambdaSearchOptions{.method = LambdaMethod::gcv};
  const auto chosen = run(std::move(several), options);
  ASSERT_EQ(chosen.lambdas.size(), 2U);
  EXPECT_EQ(chosen.lambdas[0].slice, 0);
  EXPECT_EQ(chosen.lambdas[1].slice, 1);
  // Data times a power of two: the same steps in all numbers.
  const double lambda = chosen.lambdas[0].choice.lambda;
  EXPECT_EQ(chosen.lambdas[1].choice.lambda, lambda);
  const auto has = [&](const std::string& text) {
    return std::any_of(chosen.notes.begin(), chosen.notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("by generalized cross-validation"));
  EXPECT_TRUE(has("21 values were tried"));
  EXPECT_TRUE(has("Lambda of 2 slices"));
  options.cg_sense.lambda_search.reset();
  options.cg_sense.lambda = lambda;
  const auto given = run(noisy(), options);
  EXPECT_EQ(test::relative_error(clone(ctx, chosen.images.slice(0)), clone(ctx, given.images.slice(0))), 0);
  EXPECT_NEAR(match(clone(ctx, chosen.images.slice(2)), clone(ctx, given.images.slice(0))).first, 2, 1e-6);
}

TEST_F(Recon, TheDiscrepancyPrincipleTakesTheNoiseOfPrewhitenedData) {
  ReconOptions options{.cg_sense = {.iterations = 5}};
  options.cg_sense.lambda_search = LambdaSearchOptions{.method = LambdaMethod::discrepancy};
  // Noise enough that lambda matters, and little enough that the calibration region shows the coils.
  const auto chosen = run(scan({.noise = 0.05, .spokes = 16}), options);
  ASSERT_EQ(chosen.lambdas.size(), 1U);
  // 4 coils and 16 spokes of 96 samples; between the residuals of the neighbors on the curve, to the 1 % of the search.
  const LambdaChoice& choice = chosen.lambdas[0].choice;
  EXPECT_EQ(choice.curve.samples, 4 * 16 * 96);
  for (const LambdaPoint& point : choice.curve.points) {
    EXPECT_EQ(point.residual > 6144, point.lambda > 1.01 * choice.lambda) << point.lambda << " " << point.residual;
  }
  options.prewhiten = false;
  EXPECT_THROW(run(scan(), options), ValueError);
}

TEST_F(Recon, NothingIsTakenFromAnEdgeOfKSpaceThatIsNotNoise) {
  const auto smooth = [&] {
    Scan made = scan();
    made.noise = {};
    for (ScanFrame& frame : made.frames) {
      const auto k = frame.trajectory->points.view<2>();
      for (Index i = 0; i < frame.data.size(); ++i) {
        const Index j = i % k.extent(0);
        frame.data.data()[i] *= static_cast<float>(std::exp(-150 * (k(j, 0) * k(j, 0) + k(j, 1) * k(j, 1))));
      }
    }
    return made;
  };
  ReconOptions options;
  const auto expected = run(smooth(), {.prewhiten = false});
  options.cg_sense.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum};
  const auto found = run(smooth(), options);
  EXPECT_NE(found.notes.at(0).find("noise not known"), std::string::npos) << found.notes.at(0);
  // What the model misses may ask for more than the usual lambda. The images differ little.
  EXPECT_GE(found.lambdas.at(0).choice.lambda, ReconOptions().cg_sense.lambda);
  EXPECT_LT(test::relative_error(found.images, expected.images), 0.01);
  options.cg_sense.lambda_search->method = LambdaMethod::discrepancy;
  EXPECT_THROW(run(smooth(), options), ValueError);
  options.cg_sense.lambda_search.reset();
  options.cg_sense.lambda = 0;
  options.regularized.terms = {parse_regularizer("tv:1")};
  EXPECT_THROW(run(smooth(), options), ValueError);  // in units of the noise
}

TEST_F(Recon, OneCoilNeedsNoMaps) {
  const auto result = run(scan({.coils = 1}), {.prewhiten = false});
  EXPECT_NE(result.notes.at(0).find("One coil"), std::string::npos);
  const auto gridding = run(scan({.coils = 1}), {.method = ReconMethod::gridding, .prewhiten = false});
  EXPECT_LT(match(gridding.images, result.images).second, 0.08);
}

TEST_F(Recon, ThreeDimensionsWithCoils) {
  const std::array<Index, 3> matrix{20, 24, 16};
  const auto make = [&] {
    // Spokes at Nyquist: 4 pi (N/2)^2 = 1800 for full sampling at the edge; half of them, and 3 coils.
    auto trajectory = std::make_shared<Trajectory>(kooshball_trajectory(ctx, 900, 32));
    return test::make_phantom_scan(ctx, std::move(trajectory), matrix, {.coils = 3});
  };
  ReconOptions options{.prewhiten = false, .calibration = 12};
  options.espirit.kernel = 4;
  const auto iterative = run(make(), options);
  EXPECT_EQ(iterative.images.shape(), (Shape{1, 16, 24, 20}));
  options.method = ReconMethod::gridding;
  const auto gridding = run(make(), options);
  const auto [scale, difference] = match(gridding.images, iterative.images);
  // As in 2D, but an even smaller matrix: what rings is more of the image.
  EXPECT_NEAR(scale, 1, 0.05);
  EXPECT_LT(difference, 0.25);
}

TEST_F(Recon, RefusesWhatItCanNotDo) {
  Scan empty = scan();
  empty.frames.clear();
  EXPECT_THROW(run(std::move(empty), {}), ValueError);
  EXPECT_THROW(run(scan(), {.cg_sense = {.lambda = -1}}), ValueError);
  EXPECT_THROW(run(scan(), {.cg_sense = {.lambda = std::nan("")}}), ValueError);
  EXPECT_THROW(run(scan(), {.cg_sense = {.iterations = 0}}), ValueError);
  EXPECT_THROW(run(scan(), {.virtual_coils = 5}), ValueError);
  EXPECT_THROW(run(scan(), {.calibration = 2}), ValueError);
  Scan thick = scan();
  thick.matrix[2] = 4;
  EXPECT_THROW(run(std::move(thick), {}), ShapeError);
  Scan short_data = scan();
  short_data.frames[0].data = Array<Complex>(ctx, {4, 10});
  EXPECT_THROW(run(std::move(short_data), {}), ShapeError);
  EXPECT_THROW(run(Scan(), {}), ValueError);
  Scan without_trajectory = scan();
  without_trajectory.source.clear();
  without_trajectory.frames[0].trajectory = nullptr;
  try {
    run(std::move(without_trajectory), {});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "reconstruction: the scan: a frame without a trajectory, expected one in each");
  }
}

TEST_F(Recon, WhatWillNotFitIsRefusedBeforeTheWork) {
  const Context roomy({.threads = 2});
  const Context small({.threads = 2, .max_memory = std::size_t{64} << 10});
  try {
    reconstruct(small, test::make_test_scan(roomy));
    FAIL() << "64 KiB sufficed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("limit of memory"), std::string::npos) << error.what();
  }
  EXPECT_EQ(small.pool().statistics().peak, 0U);
}

TEST_F(Recon, MemoryIsAsPredicted) {
  for (const auto method : {ReconMethod::gridding, ReconMethod::cg_sense}) {
    const Context fresh({.threads = 2});
    auto trajectory = std::make_shared<Trajectory>(radial_trajectory(fresh, 300, 384, SpokeOrder::golden_angle));
    Scan large = test::make_phantom_scan(fresh, std::move(trajectory), {192, 192, 1}, {.coils = 8});
    const ReconOptions options{.method = method, .prewhiten = false, .cg_sense = {.iterations = 2}};
    const auto predicted = static_cast<double>(reconstruction_memory(fresh, large, options));
    const auto start = fresh.pool().statistics();
    reconstruct(fresh, std::move(large), options);
    // The phantom's own arrays may have taken more before: only what reconstruct adds to them counts here.
    const auto peak = static_cast<double>(fresh.pool().statistics().peak);
    std::printf("%s: predicted %.1f MB, peak %.1f MB (%.1f MB before)\n",
                method == ReconMethod::gridding ? "gridding" : "cg-sense", predicted / 1e6, peak / 1e6,
                static_cast<double>(start.peak) / 1e6);
    EXPECT_NEAR(peak / predicted, 1, 0.1);
  }
}

}  // namespace
}  // namespace whorl
