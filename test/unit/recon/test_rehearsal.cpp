// The seconds of a reconstruction from a rehearsal. What is said of times is their order, never their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "recon/rehearsal/smaller_scan.hpp"
#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/rehearsal.hpp"

namespace whorl {
namespace {

double all_of(const std::vector<std::pair<std::string, double>>& stages) {
  double sum = 0;
  for (const auto& stage : stages) sum += stage.second;
  return sum;
}

Scan series(const Context& host, Index frames, Index coils = 3) {
  Scan scan = test::make_test_scan(host, {.coils = coils});
  for (int f = 1; f < frames; ++f) test::add_frame(host, scan, {.repetition = f}, {1, 0.1F * static_cast<float>(f)});
  return scan;
}

TEST(Rehearsal, HasTheStagesOfTheReconstruction) {
  const Context ctx = test::device_context();
  const Scan scan = series(ctx.host(), 5);
  for (const ReconMethod method : {ReconMethod::cg_sense, ReconMethod::gridding, ReconMethod::nlinv}) {
    const ReconOptions options{.method = method, .iterations = 4};
    const Rehearsal rehearsal = rehearse(ctx, scan, options);
    std::vector<std::pair<std::string, double>> made = reconstruct(ctx, scan, options).stage_seconds;
    made.emplace_back("other", 0);
    const auto predicted = predicted_seconds(ctx, scan, options, rehearsal.speeds);
    ASSERT_EQ(predicted.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_EQ(predicted[i].first, made[i].first);
      EXPECT_GE(predicted[i].second, 0) << predicted[i].first;
    }
    EXPECT_GT(all_of(predicted), 0);
    EXPECT_EQ(rehearsal.images.shape().tail(), (Shape{1, 40, 48}));
    EXPECT_EQ(rehearsal.frames.size(), static_cast<std::size_t>(rehearsal.images.extent(0)));
  }
}

// The times of stages grow with their work; with one speed for all, the solver's is proportional to the frames.
TEST(Rehearsal, PredictionGrowsWithFramesCoilsAndIterations) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  ReconSpeeds speeds;
  for (const char* stage : {"prewhitening", "plan", "coil maps", "largest eigenvalue", "conjugate gradient", "other"}) {
    speeds.stages.push_back({stage, {1e-3, 1e-3}});
  }
  const ReconOptions options{.iterations = 10};
  const Scan scan = series(host, 2);
  const double seconds = all_of(predicted_seconds(ctx, scan, options, speeds));
  EXPECT_GT(all_of(predicted_seconds(ctx, series(host, 4), options, speeds)), seconds);
  EXPECT_GT(all_of(predicted_seconds(ctx, series(host, 2, 6), options, speeds)), seconds);
  EXPECT_GT(all_of(predicted_seconds(ctx, scan, {.iterations = 20}, speeds)), seconds);

  const ReconSpeeds solver{{{"conjugate gradient", {0, 1}}}, 0};
  const double two = all_of(predicted_seconds(ctx, scan, options, solver));
  EXPECT_NEAR(all_of(predicted_seconds(ctx, series(host, 6), options, solver)), 3 * two, 1e-12 * two);  // rounding
  // A solver that ended before its limit in the rehearsal does so in the prediction.
  const ReconSpeeds ended{{{"conjugate gradient", {0, 1}}}, 10};
  EXPECT_EQ(all_of(predicted_seconds(ctx, scan, {.iterations = 500}, ended)), two);
}

// The central samples of a scan, by the definition: those below the smaller image's Nyquist frequency, at the same frequency in
// cycles per field of view.
TEST(Rehearsal, ASmallerScanHasTheCentralSamples) {
  const Context ctx = test::device_context();
  const Scan scan = series(ctx.host(), 3);
  const recon::Excerpt half{.frames = 2, .image = {20, 24}, .iterations = 1};
  const Scan part = recon::smaller_scan(ctx, scan, half);
  EXPECT_EQ(part.image_shape(), half.image);
  ASSERT_EQ(part.frames.size(), 2U);
  EXPECT_EQ(part.frames[0].trajectory, part.frames[1].trajectory);
  const ScanFrame& from = scan.frames[1];
  const ScanFrame& to = part.frames[1];
  Index found = 0;
  for (Index j = 0; j < from.trajectory->samples(); ++j) {
    const double x = 2 * from.trajectory->points.data()[2 * j];
    const double y = 2 * from.trajectory->points.data()[2 * j + 1];
    if (std::abs(x) > 0.5 || std::abs(y) > 0.5) continue;
    ASSERT_LT(found, to.trajectory->samples());
    EXPECT_EQ(to.trajectory->points.data()[2 * found], x);
    EXPECT_EQ(to.trajectory->points.data()[2 * found + 1], y);
    for (Index coil = 0; coil < scan.coils; ++coil) {
      EXPECT_EQ(to.data.data()[coil * to.data.extent(1) + found], from.data.data()[coil * from.data.extent(1) + j]);
    }
    ++found;
  }
  EXPECT_EQ(found, to.trajectory->samples());
  EXPECT_GT(found, 0);
  EXPECT_LT(found, from.trajectory->samples());
}

// Less time: a smaller image and fewer iterations; more: several frames, and no more than there are.
TEST(Rehearsal, TakesWhatItsTimeAllows) {
  const Context ctx = test::device_context();
  const Scan scan = series(ctx.host(), 5);
  const ReconOptions options{.iterations = 40};
  const recon::Excerpt whole = recon::excerpt_for(ctx, scan, options, 1e6);
  EXPECT_EQ(whole.image, scan.image_shape());
  EXPECT_EQ(whole.frames, 5);
  EXPECT_EQ(whole.iterations, 40);
  const recon::Excerpt little = recon::excerpt_for(ctx, scan, options, 1e-9);
  EXPECT_EQ(little.image, (Shape{32, 32}));
  EXPECT_EQ(little.frames, 1);
  EXPECT_LT(little.iterations, 40);
  // Regularizers in time need all frames.
  ReconOptions in_time{.iterations = 40};
  in_time.regularizers = {parse_regularizer("tv:0.01,axes=t")};
  EXPECT_EQ(recon::excerpt_for(ctx, scan, in_time, 1e-9).frames, 5);
  // A smaller image has its own spectrum, and none of the larger one's maps.
  Scan with_maps = series(ctx.host(), 1);
  with_maps.coil_maps = Array<std::complex<float>>(ctx.host(), {3, 1, 40, 48});
  EXPECT_EQ(recon::excerpt_for(ctx, with_maps, options, 1e-9).image, with_maps.image_shape());
}

}  // namespace
}  // namespace whorl
