// Normal operators that are given and kept, and reconstructions by exact sums, on every device.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

class Normals : public testing::Test {
 protected:
  Scan scan(Index spokes = 80) const { return test::make_test_scan(ctx.host(), {.spokes = spokes}); }

  // Two frames of one trajectory, one of a trajectory of its own.
  Scan two_trajectories() const {
    Scan made = scan(60);
    test::add_frame(ctx.host(), made, {.repetition = 1}, {0, 2});
    Scan other = scan(50);
    other.frames[0].index.repetition = 2;
    made.frames.push_back(std::move(other.frames[0]));
    return made;
  }

  Reconstruction run(Scan measured, const ReconOptions& options) const {
    return reconstruct(ctx, std::move(measured), options);
  }

  static std::shared_ptr<const SavedNormals> shared(SavedNormals normals) {
    return std::make_shared<const SavedNormals>(std::move(normals));
  }

  static bool has_stage(const Reconstruction& result, const std::string& stage) {
    return std::any_of(result.stage_seconds.begin(), result.stage_seconds.end(),
                       [&](const auto& timed) { return timed.first == stage; });
  }

  void expect_refusal(Scan measured, const ReconOptions& options, const std::string& reason) const {
    try {
      run(std::move(measured), options);
      ADD_FAILURE() << "no error: " << reason;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }

  const Context ctx = test::device_context();
};

TEST_F(Normals, AKeptOneGivesTheSameImageWithoutBeingPlanned) {
  for (const auto transform : {TransformMethod::nufft, TransformMethod::exact}) {
    ReconOptions options{
        .prewhiten = false, .cg_sense = {.iterations = 5}, .transform = transform, .keep_normals = true};
    auto first = run(two_trajectories(), options);
    ASSERT_EQ(first.normals.normals.size(), 2U);
    EXPECT_EQ(first.normals.image, (Shape{40, 48}));
    EXPECT_EQ(first.normals.normals[0].samples, 60 * 96);
    EXPECT_EQ(first.normals.normals[1].samples, 50 * 96);
    EXPECT_EQ(first.normals.normals[1].origin,
              transform == TransformMethod::exact ? "exact sums" : "NUFFT of tolerance 0.0001");  // of lambda = 1e-4
    EXPECT_TRUE(has_stage(first, "normal operator"));
    options.keep_normals = false;
    options.resources.normals = shared(std::move(first.normals));
    const auto second = run(two_trajectories(), options);
    EXPECT_EQ(test::relative_error(second.images, first.images), 0);
    EXPECT_FALSE(has_stage(second, "normal operator"));
    EXPECT_TRUE(second.normals.normals.empty());
  }
}

// A NUFFT of 1e-6 and the sums of floats are right to 1e-6 and 5e-7 (on a GPU) of their results, the normal operator
// is to twice that. lambda = 0.05 keeps H above 0.05, so that H^-1 makes at most 20 times as much of an error of the
// right-hand side or of H x, relative to which the image is about 1: 20 * (1.5e-6 + 3e-6).
TEST_F(Normals, ExactSumsAgreeWithAFineNufft) {
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 40, .tolerance = 1e-6, .lambda = 0.05}};
  options.nufft.tolerance = 1e-6;
  const auto nufft = run(scan(), options);
  options.transform = TransformMethod::exact;
  const auto exact = run(scan(), options);
  const double error = test::relative_error(exact.images, nufft.images);
  EXPECT_LT(error, 1e-4);
  EXPECT_GT(error, 0);
  EXPECT_NE(std::find_if(exact.notes.begin(), exact.notes.end(),
                         [](const std::string& note) { return note.find("exact sums") != std::string::npos; }),
            exact.notes.end());
}

// Two transforms of 1e-6 and 5e-7, and the scale from a third.
TEST_F(Normals, GriddingByExactSums) {
  ReconOptions options{.method = ReconMethod::gridding, .prewhiten = false};
  options.nufft.tolerance = 1e-6;
  options.density = DensityMethod::radial;
  const auto nufft = run(scan(), options);
  options.transform = TransformMethod::exact;
  const auto exact = run(scan(), options);
  EXPECT_LT(test::relative_error(exact.images, nufft.images), 5e-6);
  EXPECT_FALSE(has_stage(exact, "normal operator"));
}

TEST_F(Normals, ThoseOfAnotherSetupAreRefused) {
  const ReconOptions keep{.prewhiten = false, .cg_sense = {.iterations = 1}, .keep_normals = true};
  SavedNormals kept = run(scan(), keep).normals;
  kept.source = "setup.npz";
  const SavedNormal& one = kept.normals.front();
  const auto copy_of = [&] {
    SavedNormals copy{kept.image, {}, kept.source};
    copy.normals.push_back({one.trajectory, one.samples, one.origin, clone(ctx.host(), one.spectrum.ref())});
    return copy;
  };
  const ReconOptions given{
      .prewhiten = false, .cg_sense = {.iterations = 1}, .resources = {.normals = shared(copy_of())}};
  EXPECT_NO_THROW(run(scan(), given));
  expect_refusal(scan(70), given,
                 "'setup.npz': its trajectory differs: frame 1 of the scan has 6720 samples, it has 7680");
  Scan other = scan();
  Trajectory moved{clone(ctx.host(), other.frames[0].trajectory->points.ref()), 96};
  moved.points.data()[10] *= 0.99;  // kx of the first spoke, whose ky are zero
  other.frames[0].trajectory = std::make_shared<const Trajectory>(std::move(moved));
  expect_refusal(std::move(other), given, "frame 1 of the scan has 7680 samples, as it has, at other positions");
  Scan larger = scan();
  larger.matrix = {50, 40, 1};
  expect_refusal(std::move(larger), given, "its matrix differs: [40, 48], the scan's is [40, 50]; make");
  expect_refusal(two_trajectories(), given, "its trajectory differs: frame 1");

  SavedNormals wrong = copy_of();
  wrong.normals[0].spectrum.reshape({wrong.normals[0].spectrum.size(), 1});
  expect_refusal(scan(), {.resources = {.normals = shared(std::move(wrong))}}, "a spectrum of");
  expect_refusal(scan(), {.resources = {.normals = shared({{40, 48}, {}})}}, "of no trajectory");
  expect_refusal(scan(), {.method = ReconMethod::gridding, .keep_normals = true}, "gridding has no use");
}

// As in Recon.MemoryIsAsPredicted; coil maps, whose making can be the peak, are predicted as test_memory.cpp says, and
// the tables of the exact sums on a GPU to a factor of two (dft_memory).
TEST_F(Normals, MemoryIsAsPredicted) {
  const Context host = ctx.host();
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(host, 150, 192, SpokeOrder::golden_angle));
  for (const auto transform : {TransformMethod::nufft, TransformMethod::exact}) {
    const Context fresh = ctx.on(ctx.device());
    Scan large = test::make_phantom_scan(fresh.host(), trajectory, {96, 96, 1}, {.coils = 8});
    const ReconOptions options{
        .prewhiten = false, .cg_sense = {.iterations = 2}, .transform = transform, .keep_normals = true};
    const auto predicted = static_cast<double>(reconstruction_memory(fresh, large, options));
    reconstruct(fresh, std::move(large), options);
    const auto peak = static_cast<double>(fresh.pool().statistics().peak);
    std::printf("%s: predicted %.1f MB, peak %.1f MB\n", transform == TransformMethod::exact ? "exact" : "nufft",
                predicted / 1e6, peak / 1e6);
    const bool exactly = transform == TransformMethod::nufft || fresh.device().kind == DeviceKind::cpu;
    EXPECT_LT(peak / predicted, exactly ? 1.15 : 2);
    EXPECT_GT(peak / predicted, exactly ? 0.75 : 0.5);
  }
}

}  // namespace
}  // namespace whorl
