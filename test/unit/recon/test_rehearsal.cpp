// The seconds of a reconstruction from a rehearsal. What is said of times is their order, never their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "recon/rehearsal/count_iterations.hpp"
#include "recon/rehearsal/smaller_scan.hpp"
#include "recon/rehearsal/spread_readouts.hpp"
#include "recon/rehearsal/team_work.hpp"
#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/rehearsal.hpp"
#include "whorl/scan/sample_weights.hpp"

namespace whorl {
namespace {

double all_of(const std::vector<std::pair<std::string, double>>& stages) {
  double sum = 0;
  for (const auto& stage : stages) sum += stage.second;
  return sum;
}

std::vector<std::pair<std::string, double>> seconds_of(const Context& ctx, const Scan& scan,
                                                       const ReconOptions& options, const ReconSpeeds& speeds) {
  return predicted_seconds(ctx, scan, options, plan_reconstruction(ctx, scan, options), speeds);
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
    const Rehearsal rehearsal = rehearse(ctx, scan, options, plan_reconstruction(ctx, scan, options));
    std::vector<std::pair<std::string, double>> made = reconstruct(ctx, scan, options).stage_seconds;
    made.emplace_back("other", 0);
    const auto predicted = seconds_of(ctx, scan, options, rehearsal.speeds);
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

// Two slices of four frames, whose trajectories are parts of one.
Scan slices_of_own_trajectories(const Context& host) {
  Scan scan = test::make_test_scan(host, {.coils = 3});
  const ScanFrame whole = std::move(scan.frames.front());
  scan.frames.clear();
  const Index readout = std::max<Index>(whole.trajectory->readout_length, 1);
  const Index readouts = whole.trajectory->samples() / readout;
  for (int f = 0; f < 8; ++f) {
    std::vector<Index> taken;
    for (Index r = f / 2; r < readouts; r += 4) {
      for (Index i = 0; i < readout; ++i) taken.push_back(r * readout + i);
    }
    Trajectory own{Array<double>(host, {std::ssize(taken), 2}), whole.trajectory->readout_length};
    Array<std::complex<float>> data(host, {scan.coils, std::ssize(taken)});
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const auto to = static_cast<Index>(i);
      for (Index axis = 0; axis < 2; ++axis) {
        own.points.data()[2 * to + axis] = whole.trajectory->points.data()[2 * taken[i] + axis];
      }
      for (Index coil = 0; coil < scan.coils; ++coil) {
        data.view<2>()(coil, to) = whole.data.view<2>()(coil, taken[i]);
      }
    }
    FrameIndex index;
    index.slice = f % 2;
    index.repetition = f / 2;
    scan.frames.push_back({index, std::make_shared<const Trajectory>(std::move(own)), nullptr, std::move(data), {}});
  }
  return scan;
}

SubspaceBasis basis_of(const Context& host) {
  Array<std::complex<double>> vectors(host, {4, 2});
  for (Index t = 0; t < 4; ++t) {
    vectors.data()[2 * t] = 0.5;
    vectors.data()[2 * t + 1] = t < 2 ? 0.5 : -0.5;
  }
  return {std::move(vectors)};
}

TEST(Rehearsal, HasTheStagesOfASubspace) {
  const Context ctx = test::device_context();
  const Scan scan = slices_of_own_trajectories(ctx.host());
  const SubspaceBasis basis = basis_of(ctx.host());
  const ReconOptions options{.iterations = 4};
  const Rehearsal rehearsal = rehearse(ctx, scan, basis, options);
  auto made = reconstruct_subspace(ctx, clone(ctx.host(), scan), basis, options).stage_seconds;
  made.emplace_back("other", 0);
  const auto predicted = predicted_seconds(ctx, scan, basis, options, rehearsal.speeds);
  ASSERT_EQ(predicted.size(), made.size());
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(predicted[i].first, made[i].first);
  EXPECT_EQ(rehearsal.images.extent(0), 2);  // of one slice
  // The solver's time is in proportion to slices and iterations.
  const ReconSpeeds solver{{{"coefficients", {0, 1}}}, 0};
  const double seconds = all_of(predicted_seconds(ctx, scan, basis, options, solver));
  Scan one = clone(ctx.host(), scan);
  std::erase_if(one.frames, [](const ScanFrame& frame) { return frame.index.slice == 1; });
  EXPECT_NEAR(2 * all_of(predicted_seconds(ctx, one, basis, options, solver)), seconds, 1e-12 * seconds);  // rounding
  EXPECT_NEAR(all_of(predicted_seconds(ctx, scan, basis, {.iterations = 8}, solver)), 2 * seconds, 1e-12 * seconds);
  // The count is that of a solve, and within its limit; little time is a smaller image.
  EXPECT_EQ(recon::subspace_excerpt(ctx, one, basis, options, 1e6).image, scan.image_shape());
  recon::Excerpt little = recon::subspace_excerpt(ctx, one, basis, options, 1e-9);
  EXPECT_EQ(little.image, (Shape{32, 32}));
  EXPECT_EQ(little.frames, 4);
  little.image = {20, 24};
  const recon::IterationCount count = recon::count_iterations(ctx, one, little, basis, {.iterations = 5});
  EXPECT_GE(count.iterations, 1);
  EXPECT_LE(count.iterations, 5);
  ReconOptions weighted = options;
  Index samples = 0;
  for (const ScanFrame& frame : one.frames) samples += frame.trajectory->samples();
  Array<double> weights(ctx.host(), {samples});
  fill<double>(ctx.host(), weights, 1);
  weighted.signal.weights = weigh_samples(ctx.host(), one, weights);
  const Rehearsal of_weighted = rehearse(ctx, one, basis, weighted);
  EXPECT_EQ(of_weighted.images.shape().tail(), (Shape{1, 40, 48}));
  EXPECT_GT(all_of(predicted_seconds(ctx, one, basis, weighted, of_weighted.speeds)), 0);
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
  const double seconds = all_of(seconds_of(ctx, scan, options, speeds));
  EXPECT_GT(all_of(seconds_of(ctx, series(host, 4), options, speeds)), seconds);
  EXPECT_GT(all_of(seconds_of(ctx, series(host, 2, 6), options, speeds)), seconds);
  EXPECT_GT(all_of(seconds_of(ctx, scan, {.iterations = 20}, speeds)), seconds);

  const ReconSpeeds solver{{{"conjugate gradient", {0, 1}}}, 0};
  const double two = all_of(seconds_of(ctx, scan, options, solver));
  EXPECT_NEAR(all_of(seconds_of(ctx, series(host, 6), options, solver)), 3 * two, 1e-12 * two);  // rounding
  // A solver that ended before its limit in the rehearsal does so in the prediction.
  const ReconSpeeds ended{{{"conjugate gradient", {0, 1}}}, 10};
  EXPECT_EQ(all_of(seconds_of(ctx, scan, {.iterations = 500}, ended)), two);
  // Several applications of the normal operator in each iteration.
  const ReconSpeeds several{{{"conjugate gradient", {0, 1}}}, 0, 4};
  EXPECT_EQ(all_of(seconds_of(ctx, scan, options, several)), all_of(seconds_of(ctx, scan, {.iterations = 40}, solver)));
}

// The team that takes longest: of 6 frames on 4 ranks one has two, and of one frame with 3 coils on 2 ranks one has two coils.
TEST(Rehearsal, PredictionIsOfTheTeamThatTakesLongest) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const ReconOptions options{.iterations = 10};
  const auto seconds = [&](const Scan& scan, const char* stage, int ranks) {
    ReconSpeeds speeds{{{stage, {0, 1}}}};
    speeds.ranks = ranks;
    return all_of(seconds_of(ctx, scan, options, speeds));
  };
  const Scan frames = series(host, 6);
  const double solver = seconds(frames, "conjugate gradient", 1);
  for (const auto& [ranks, part] : {std::pair{2, 3.0}, std::pair{3, 2.0}, std::pair{4, 2.0}, std::pair{6, 1.0}}) {
    EXPECT_NEAR(seconds(frames, "conjugate gradient", ranks), solver * part / 6, 1e-12 * solver) << ranks;  // rounding
  }
  // The leader makes the maps of all coils, and prewhitens the data of all.
  const Scan one = series(host, 1);
  EXPECT_EQ(seconds(one, "coil maps", 2), seconds(one, "coil maps", 1));
  EXPECT_EQ(seconds(one, "prewhitening", 2), seconds(one, "prewhitening", 1));
  const double of_two_coils = seconds(series(host, 1, 2), "conjugate gradient", 1);
  EXPECT_NEAR(seconds(one, "conjugate gradient", 2), of_two_coils, 1e-12 * of_two_coils);
  EXPECT_EQ(seconds(one, "conjugate gradient", 5), seconds(one, "conjugate gradient", 3));  // two have no work
}

// Two devices, which are one CPU: frames, then the coils of one frame, also within a subspace.
TEST(Rehearsal, RanksRehearseTogether) {
  const Context ctx = test::device_context().host();
  const std::vector<Context> two{ctx, ctx.on(ctx.device(), ctx.pool().limit())};
  const auto has = [](const ReconSpeeds& speeds, const std::string& stage) {
    return std::any_of(speeds.stages.begin(), speeds.stages.end(), [&](const auto& of) { return of.first == stage; });
  };
  const ReconOptions options{.iterations = 4};
  for (const Index frames : {4, 1}) {
    const Scan scan = series(ctx, frames);
    const ReconPlan plan = plan_reconstruction(ctx, scan, options);
    const Rehearsal found = rehearse(two, scan, options, plan);
    EXPECT_EQ(found.speeds.ranks, 2);
    EXPECT_TRUE(has(found.speeds, "collecting"));
    for (const auto& [stage, seconds] : predicted_seconds(ctx, scan, options, plan, found.speeds)) {
      EXPECT_TRUE(std::isfinite(seconds) && seconds >= 0) << stage;
    }
    auto made = reconstruct(two, clone(ctx, scan), options).stage_seconds;
    for (const auto& [stage, seconds] : made) EXPECT_TRUE(has(found.speeds, stage)) << stage;
  }
  Scan slice = slices_of_own_trajectories(ctx);
  std::erase_if(slice.frames, [](const ScanFrame& frame) { return frame.index.slice == 1; });
  const SubspaceBasis basis = basis_of(ctx);
  const Rehearsal found = rehearse(two, slice, basis, options);
  EXPECT_EQ(found.speeds.ranks, 2);
  EXPECT_TRUE(has(found.speeds, "coefficients"));
  // One rank's failure is that of all.
  ReconOptions wrong = options;
  wrong.prewhiten = true;
  wrong.lambda = -1;
  EXPECT_THROW(rehearse(two, slice, basis, wrong), Error);
  EXPECT_THROW(rehearse(std::span<const Context>(), slice, basis, options), ValueError);
}

// Frames of two slices by turns: a team has those of a slice.
TEST(Rehearsal, TeamsHaveTheWorkOfRanks) {
  const Context host = test::device_context().host();
  const Scan scan = slices_of_own_trajectories(host);
  const std::vector<recon::TeamWork> slices = recon::subspace_work_of_teams(scan, {}, 3);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].ranks + slices[1].ranks, 3);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(slices[s].scan.frames.size(), 4U);
    for (const ScanFrame& frame : slices[s].scan.frames) EXPECT_EQ(frame.index.slice, static_cast<int>(s));
  }
  ReconOptions in_time;
  in_time.regularizers = {parse_regularizer("tv:0.01,unit=largest,axes=t")};
  const std::vector<recon::TeamWork> joined = recon::work_of_teams(scan, in_time, 4, 2);
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].scan.frames.size(), 4U);
  EXPECT_EQ(joined[1].scan.frames.front().index.slice, 1);
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

// Full spokes at angles in an order of bit reversal, some of them from the other side: of every four that are neighbors by angle one
// is left, with all its samples that are asked for.
TEST(Rehearsal, ReadoutsThatAreLeftAreSpreadAsAllAre) {
  const Context host = test::device_context().host();
  constexpr Index spokes = 32;
  constexpr Index length = 9;
  Trajectory trajectory{Array<double>(host, {spokes * length, 2}), length};
  std::vector<Index> rank(spokes);
  for (Index s = 0; s < spokes; ++s) {
    for (Index bit = 0; bit < 5; ++bit) rank[static_cast<std::size_t>(s)] |= (s >> bit & 1) << (4 - bit);
    const double angle = M_PI * (static_cast<double>(rank[static_cast<std::size_t>(s)]) + 0.25) / spokes +
                         static_cast<double>(s % 3) * M_PI;
    for (Index i = 0; i < length; ++i) {
      const double k = static_cast<double>(i - length / 2) / length;
      trajectory.points.data()[2 * (s * length + i)] = k * std::cos(angle);
      trajectory.points.data()[2 * (s * length + i) + 1] = k * std::sin(angle);
    }
  }
  std::vector<Index> samples;
  for (Index j = 0; j < spokes * length; ++j) {
    if (j % length > 1 && j % length < length - 2) samples.push_back(j);
  }
  const std::vector<Index> left = recon::spread_readouts(trajectory, samples, 0.25);
  ASSERT_EQ(left.size(), samples.size() / 4);
  std::vector<Index> found;
  for (const Index place : left) {
    found.push_back(rank[static_cast<std::size_t>(samples[static_cast<std::size_t>(place)] / length)]);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  ASSERT_EQ(found.size(), static_cast<std::size_t>(spokes / 4));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i] / 4, static_cast<Index>(i));
  EXPECT_EQ(recon::spread_readouts(trajectory, samples, 1).size(), samples.size());
  EXPECT_EQ(recon::spread_readouts(trajectory, samples, 0).size(), static_cast<std::size_t>(length - 4));
}

// As many samples per voxel, and no signal larger than that of the central samples.
TEST(Rehearsal, AnEquallyHardScanHasTheSamplesPerVoxelOfTheWhole) {
  const Context ctx = test::device_context();
  const Scan scan = series(ctx.host(), 3);
  const recon::Excerpt half{.frames = 3, .image = {20, 24}, .iterations = 1};
  const Scan part = recon::equally_hard_scan(ctx, scan, half, {.prewhiten = false});
  EXPECT_EQ(part.image_shape(), half.image);
  EXPECT_EQ(part.coil_maps.shape(), (Shape{scan.coils, 1, 20, 24}));
  ASSERT_EQ(part.frames.size(), 3U);
  EXPECT_EQ(part.frames[0].trajectory, part.frames[2].trajectory);
  const auto per_voxel = [](const Scan& of) {
    return static_cast<double>(of.frames[0].trajectory->samples()) / static_cast<double>(of.image_shape().size());
  };
  // Whole readouts: half of one of the few that are left.
  const Index length = std::max<Index>(scan.frames[0].trajectory->readout_length, 1);
  EXPECT_NEAR(per_voxel(part), per_voxel(scan), 0.5 * static_cast<double>(length) / 480);
  const Scan central = recon::smaller_scan(ctx, scan, half);
  const auto largest = [](const Scan& of) {
    double most = 0;
    for (const std::complex<float>& value : of.frames[1].data.span()) most = std::max<double>(most, std::abs(value));
    return most;
  };
  EXPECT_LE(largest(part), largest(central));
  EXPECT_GT(largest(part), 0);
  // The count is that of a solve, and within its limit.
  for (const char* const terms : {"tv:0.01,unit=largest,axes=t", "wavelet:0.01,unit=largest"}) {
    ReconOptions options{.prewhiten = false, .iterations = 5};
    options.regularizers = {parse_regularizer(terms)};
    const recon::IterationCount count = recon::count_iterations(ctx, scan, half, options, {});
    EXPECT_GE(count.iterations, 1) << terms;
    EXPECT_LE(count.iterations, 5) << terms;
    EXPECT_GE(count.applications, count.iterations) << terms;
  }
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
  in_time.regularizers = {parse_regularizer("tv:0.01,unit=largest,axes=t")};
  EXPECT_EQ(recon::excerpt_for(ctx, scan, in_time, 1e-9).frames, 5);
  // A smaller image has its own spectrum, and none of the larger one's maps.
  Scan with_maps = series(ctx.host(), 1);
  with_maps.coil_maps = Array<std::complex<float>>(ctx.host(), {3, 1, 40, 48});
  EXPECT_EQ(recon::excerpt_for(ctx, with_maps, options, 1e-9).image, with_maps.image_shape());
}

}  // namespace
}  // namespace whorl
