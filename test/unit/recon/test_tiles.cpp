// Reconstructions that need more memory than they may use: what is spilled, and that the image stays the same. The limit of
// the context's pool is hard, so a reconstruction that ends has kept it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/mapped_array.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Samples of many coils, which take most of the memory.
const Scan& volume() {
  static const Scan made = [] {
    const Context maker({.threads = 2});
    const auto trajectory = std::make_shared<Trajectory>(random_trajectory(maker, 60000, 3, RandomRegion::box, 3));
    return test::make_phantom_scan(maker, trajectory, {32, 28, 24}, {.coils = 32, .noise_standard_deviation = 0.1});
  }();
  return made;
}

// A scan of few coils: the transform's grid and the images take most of the memory.
const Scan& kooshball() {
  static const Scan made = [] {
    const Context maker({.threads = 2});
    const auto trajectory = std::make_shared<Trajectory>(kooshball_trajectory(maker, 1800, 64));
    return test::make_phantom_scan(maker, trajectory, {64, 64, 64}, {.coils = 8, .noise_standard_deviation = 0.1});
  }();
  return made;
}

// Many frames of one trajectory.
const Scan& series() {
  static const Scan made = [] {
    const Context maker({.threads = 2});
    const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(maker, 60, 128, SpokeOrder::golden_angle));
    Scan plan = test::make_trajectory_scan(trajectory, {64, 60, 1});
    for (int repetition = 1; repetition < 24; ++repetition) {
      plan.frames.push_back({{.repetition = repetition}, trajectory, nullptr, {}, plan.frames.front().geometry});
    }
    return phantom_scan(maker, shepp_logan(2, PhantomContrast::modified), std::move(plan),
                        {.coils = 8, .noise_standard_deviation = 0.1});
  }();
  return made;
}

ReconOptions iterative() {
  ReconOptions options{.calibration = 12, .cg_sense = {.iterations = 6}};
  options.espirit.kernel = 2;
  return options;
}

Context limited(Index bytes) {
  const Context ctx = test::device_context();
  return ctx.on(ctx.device(), static_cast<std::size_t>(bytes));
}

Reconstruction with_limit(const Scan& scan, const ReconOptions& options, Index bytes) {
  return reconstruct(limited(bytes), clone(Context({.threads = 2}), scan), options);
}

bool says(const Reconstruction& made, const std::string& part) {
  for (const std::string& note : made.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

struct Part {
  Index of_thousand;  // of what is needed without a limit; 0: the most with which these are spilled and all fits
  std::vector<std::string> spilled;  // in the notes
};

// How much a device does at a time follows from its memory, so what it spills in a part of what it needs differs. A GPU without
// a limit also takes much scratch memory, and spills nothing in half of it.
Index limit_that_spills(const Scan& scan, const ReconOptions& options, const std::vector<std::string>& spilled,
                        Index needed) {
  const auto fits = [&](Index limit) {
    const ReconPlan plan = plan_reconstruction(limited(limit), scan, options);
    const auto is_spilled = [&](const std::string& what) {
      return std::any_of(plan.spilled.begin(), plan.spilled.end(),
                         [&](const auto& one) { return one.first.find(what) != std::string::npos; });
    };
    return plan.bytes <= plan.limit && std::all_of(spilled.begin(), spilled.end(), is_spilled);
  };
  Index limit = needed;
  while (limit > 0 && !fits(limit)) limit -= needed / 200;
  return limit;
}

void expect_the_same(const Scan& scan, const ReconOptions& options, const std::vector<Part>& parts) {
  const Context ctx = test::device_context();
  const Index needed = reconstruction_memory(ctx, scan, options);
  const Reconstruction whole = reconstruct(ctx, clone(Context({.threads = 2}), scan), options);
  EXPECT_FALSE(says(whole, "Spilled"));
  for (const Part& part : parts) {
    const Index limit = part.of_thousand > 0 ? needed * part.of_thousand / 1000
                                             : limit_that_spills(scan, options, part.spilled, needed);
    SCOPED_TRACE(testing::Message() << "limit " << limit << " of " << needed << " bytes");
    const Context there = limited(limit);
    const ReconPlan plan = plan_reconstruction(there, scan, options);
    ASSERT_LE(plan.bytes, limit);
    EXPECT_EQ(plan.spilled.empty(), part.spilled.empty());
    const Reconstruction made = reconstruct(there, clone(Context({.threads = 2}), scan), options, plan);
    for (const std::string& what : part.spilled) EXPECT_TRUE(says(made, what)) << what;
    ASSERT_EQ(made.images.shape(), whole.images.shape());
    const bool joint = options.method == ReconMethod::nlinv;
    const bool maps_by_slices = says(made, "coil maps") && options.method == ReconMethod::cg_sense;
    const bool coils_alone = !part.spilled.empty() && options.method == ReconMethod::gridding;
    if (ctx.device().kind == DeviceKind::cpu && (maps_by_slices || coils_alone)) {
      // ESPIRiT makes maps for a file slice by slice, with sums over z in another order. Gridding takes coils one at a time,
      // not four beside each other. Either is rounding of some 1e-7.
      EXPECT_LT(test::relative_error(made.images, whole.images), 1e-6);
    } else if (ctx.device().kind == DeviceKind::cpu && !joint) {
      EXPECT_EQ(std::memcmp(made.images.data(), whole.images.data(), made.images.span().size_bytes()), 0)
          << "a distance of " << test::relative_error(made.images, whole.images);
    } else {
      // NLINV may take coils one at a time, and A^H A as a pair of transforms. Either way to apply A^H A is off by the tolerance
      // at most, relative to its largest eigenvalue, in each of the six iterations; on a GPU sums in another order are off
      // by much less.
      EXPECT_LT(test::relative_error(made.images, whole.images), 2 * 6 * nufft_tolerance(options));
    }
  }
}

TEST(Tiles, APlanIsForItsScan) {
  const Context ctx = test::device_context();
  const Scan& scan = series();
  const ReconPlan plan = plan_reconstruction(ctx, scan);
  const auto try_plan = [&](const Context& there, const ReconPlan& given) {
    return reconstruct(there, clone(ctx.host(), scan), {}, given);
  };
  EXPECT_THROW(try_plan(ctx, {}), ValueError);
  ReconPlan other = plan;
  ++other.frames;
  EXPECT_THROW(try_plan(ctx, other), ValueError);
  EXPECT_THROW(try_plan(limited(plan.bytes / 2), plan), Error);  // what it needs is not there any more
}

TEST(Tiles, OfAVolumeInLeastSquares) { expect_the_same(volume(), iterative(), {{0, {"samples"}}}); }

TEST(Tiles, OfAVolumeOfFewCoilsInAQuarterOfItsNeed) {
  ReconOptions options = iterative();
  options.cg_sense.iterations = 3;
  options.cg_sense.lambda = 0.1;
  expect_the_same(kooshball(), options, {{250, {"coil maps"}}});
  options.method = ReconMethod::gridding;
  options.density_options.pipe_menon.iterations = 3;
  options.gridding.combination = CombinationMethod::root_sum_of_squares;
  expect_the_same(kooshball(), options, {{250, {"images of the coils"}}});
}

TEST(Tiles, OfAVolumeWithRegularizers) {
  ReconOptions options = iterative();
  options.cg_sense.lambda = 0;
  options.virtual_coils = 8;
  options.regularized.terms = {parse_regularizer("wavelet:0.01,unit=largest")};
  expect_the_same(volume(), options, {{0, {"samples"}}});
}

TEST(Tiles, OfCompressedCoils) {
  ReconOptions options = iterative();
  options.virtual_coils = 12;
  expect_the_same(volume(), options, {{0, {"samples"}}});
}

TEST(Tiles, OfAVolumeThatIsGridded) {
  ReconOptions options{.method = ReconMethod::gridding};
  options.density_options.pipe_menon.iterations = 3;
  options.gridding.combination = CombinationMethod::root_sum_of_squares;
  expect_the_same(volume(), options, {{0, {"samples", "images of the coils"}}});
  options.gridding.combination = CombinationMethod::matched;
  options.calibration = 12;
  options.espirit.kernel = 2;
  expect_the_same(volume(), options, {{0, {"coil maps", "images of the coils"}}});
}

// The grid of density weights, of twice the image along each axis, takes more than two coils do.
TEST(Tiles, OfDensityWeights) {
  const Context maker({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(random_trajectory(maker, 20000, 3, RandomRegion::box, 3));
  const Scan scan = test::make_phantom_scan(maker, trajectory, {64, 60, 56}, {.coils = 2});
  ReconOptions options{.method = ReconMethod::gridding,
                       .gridding = {.combination = CombinationMethod::root_sum_of_squares}};
  options.density_options.pipe_menon.iterations = 3;
  expect_the_same(scan, options, {{800, {"grid of density weights"}}});
}

TEST(Tiles, OfWalshsMaps) {
  const Context maker({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(random_trajectory(maker, 5000, 3, RandomRegion::box, 3));
  const Scan scan = test::make_phantom_scan(maker, trajectory, {32, 28, 24}, {.coils = 6});
  ReconOptions options{.coil_maps = CoilMapMethod::walsh, .cg_sense = {.iterations = 2, .lambda = 0.1}};
  options.walsh.block = 3;
  options.density_options.pipe_menon.iterations = 2;
  expect_the_same(scan, options, {{0, {"coil maps", "images of the coils"}}});
  options.method = ReconMethod::gridding;
  options.gridding.combination = CombinationMethod::matched;
  expect_the_same(scan, options, {{0, {"coil maps", "images of the coils"}}});
}

// A CPU takes as many coils as have grids of 8 MB, in fours: four of five in the larger image, all of them in the smaller one.
TEST(Tiles, OfNlinv) {
  const Context maker({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(maker, 15, 64, SpokeOrder::golden_angle));
  ReconOptions options{.method = ReconMethod::nlinv};
  options.nlinv.steps = 1;
  options.nlinv.iterations = 2;
  expect_the_same(test::make_phantom_scan(maker, trajectory, {320, 304, 1}, {.coils = 5}), options,
                  {{0, {"coil maps", "images of the coils"}}});
  options.nlinv.sets = 2;
  const Scan small = test::make_phantom_scan(maker, trajectory, {48, 44, 1}, {.coils = 5});
  expect_the_same(small, options, {{0, {"coil maps", "images of the coils"}}});
  options.nlinv.sets = 1;
  options.method = ReconMethod::cg_sense;
  options.coil_maps = CoilMapMethod::nlinv;
  options.cg_sense.iterations = 2;
  options.cg_sense.lambda = 0.1;
  expect_the_same(small, options, {{0, {"coil maps", "images of the coils"}}});
}

// Coil maps of a small kernel, as in iterative(), are noise for a series in the plane.
ReconOptions planar() { return {.calibration = 12, .cg_sense = {.iterations = 6, .lambda = 1e-2}}; }

TEST(Tiles, OfASeries) {
  expect_the_same(series(), planar(), {{500, {"samples"}}});
  expect_the_same(series(), {.method = ReconMethod::gridding, .density = DensityMethod::radial}, {{400, {"samples"}}});
}

// Terms that join the frames have the solver's arrays of all of them; the encoding works on one frame at a time.
TEST(Tiles, OfASolverOfAllFrames) {
  ReconOptions options = planar();
  options.cg_sense.lambda = 0;
  for (const char* text : {"tv:0.01,unit=largest,axes=t", "llr:0.01,unit=largest"}) {
    options.regularized.terms = {parse_regularizer(text)};
    expect_the_same(series(), options, {{0, {"samples", "images", "arrays of the solver"}}});
  }
}

// The parts of a series, and weights that are chosen, come from spilled arrays too.
TEST(Tiles, OfPartsAndChosenWeights) {
  ReconOptions options = planar();
  options.cg_sense.lambda = 0;
  options.cg_sense.iterations = 3;
  options.regularized.keep_parts = true;
  options.regularized.terms = {parse_regularizer("ictv:0.01,unit=largest")};
  const Index needed = reconstruction_memory(test::device_context(), series(), options);
  const Index limit = limit_that_spills(series(), options, {"arrays of the solver"}, needed);
  const Reconstruction whole = reconstruct(test::device_context(), clone(Context({.threads = 2}), series()), options);
  const Reconstruction made = with_limit(series(), options, limit);
  EXPECT_TRUE(says(made, "arrays of the solver"));
  ASSERT_EQ(made.parts.shape(), whole.parts.shape());
  // The second part is a small difference of the frames; on a GPU rounding is that of the image.
  const double allowed = test::device_context().device().kind == DeviceKind::cpu ? 0 : 2 * 6 * nufft_tolerance(options);
  EXPECT_LE(test::relative_error(made.parts, whole.parts), allowed);
}

TEST(Tiles, OfSingleCoils) {
  if (test::device_context().device().kind != DeviceKind::cpu)
    GTEST_SKIP() << "a GPU's memory sets how many coils it takes";
  ReconOptions options{.method = ReconMethod::gridding, .density = DensityMethod::radial};
  options.gridding.combination = CombinationMethod::root_sum_of_squares;
  Index limit = reconstruction_memory(test::device_context(), series(), options);
  while (limit > 0 && plan_reconstruction(limited(limit), series(), options).coils_at_once > 1) limit -= limit / 20;
  const Reconstruction whole = reconstruct(test::device_context(), clone(Context({.threads = 2}), series()), options);
  const Reconstruction made = with_limit(series(), options, limit);
  EXPECT_TRUE(says(made, "one at a time"));
  // Windows are added in another order: rounding of float, 6e-8, which the sum of a window's samples multiplies by some tens.
  EXPECT_LT(test::relative_error(made.images, whole.images), 6e-8 * 50) << limit;
}

// The limit where all else is spilled too. Small lambdas amplify what the bits differ by: none here.
TEST(Tiles, OfATransformInFiles) {
  if (test::device_context().device().kind != DeviceKind::cpu) GTEST_SKIP() << "a GPU has no files";
  ReconOptions options = planar();
  options.cg_sense.lambda = 1e-6;
  expect_the_same(series(), options, {{0, {"samples", "coil maps", "the transform"}}});
  ReconOptions regularized = planar();
  regularized.regularized.terms = {parse_regularizer("tv:0.01,unit=largest")};
  expect_the_same(series(), regularized, {{0, {"arrays of the solver", "the transform"}}});
  ReconOptions volumes = iterative();
  volumes.cg_sense.iterations = 2;
  volumes.cg_sense.lambda = 1e-6;
  expect_the_same(kooshball(), volumes, {{0, {"the transform"}}});
}

// Its samples alone are more than the limit: they never are in the pool.
TEST(Tiles, OfAFileLargerThanTheLimit) {
  const test::TemporaryFolder folder;
  const Context maker({.threads = 2});
  write_ismrmrd(maker, series(), folder / "scan.h5");
  ReconOptions options = planar();
  const Reconstruction whole = reconstruct(test::device_context(), read_ismrmrd(maker, folder / "scan.h5"), options);
  constexpr Index limit = Index{8} << 20;
  const Context ctx = limited(limit);
  Index in_files = 0;
  ScanReadOptions read;
  read.data_memory = [&](const Shape& data, Index all_bytes) {
    EXPECT_GT(all_bytes, limit);
    in_files += data.size() * static_cast<Index>(sizeof(Complex));
    return mapped_array<Complex>(temporary_folder(), data);
  };
  options.resources.spill.data_in_file = true;
  const Context& reader = ctx.device().kind == DeviceKind::cpu ? ctx : maker;
  const Reconstruction made = reconstruct(ctx, read_ismrmrd(reader, folder / "scan.h5", read), options);
  EXPECT_EQ(in_files, 24 * series().frames.front().data.size() * static_cast<Index>(sizeof(Complex)));
  if (ctx.device().kind == DeviceKind::cpu) {
    EXPECT_EQ(std::memcmp(made.images.data(), whole.images.data(), made.images.span().size_bytes()), 0);
  } else {
    EXPECT_LT(test::relative_error(made.images, whole.images), 2 * 6 * nufft_tolerance(options));
  }
}

TEST(Tiles, WhatDoesNotFitIsRefused) {
  const Scan& scan = volume();
  try {
    with_limit(scan, iterative(), 1 << 20);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("with all spilled that can be"), std::string::npos) << error.what();
  }
}

// More coils are transformed at a time where there is more memory, but never so many that they do not fit.
TEST(Tiles, WhatFitsIntoLessIsNotRefused) {
  ReconOptions gridding{.method = ReconMethod::gridding,
                        .gridding = {.combination = CombinationMethod::root_sum_of_squares}};
  gridding.density_options.pipe_menon.iterations = 3;
  for (const ReconOptions& options : {gridding, iterative()}) {
    const Index needed = reconstruction_memory(test::device_context(), volume(), options);
    bool fits = true;
    for (Index part = 40; part > 2; --part) {
      const ReconPlan plan = plan_reconstruction(limited(needed * part / 40), volume(), options);
      EXPECT_TRUE(fits || plan.bytes > plan.limit) << "in " << part << " of 40 parts";
      fits = plan.bytes <= plan.limit || part == 40;  // the whole is what arrays take; a pool needs a tenth more
    }
  }
}

// NLINV says what takes less where it takes the most: few samples, whose transform takes less than the images.
TEST(Tiles, WhatTakesLessIsSaid) {
  const Context maker({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(maker, 4, 64, SpokeOrder::golden_angle));
  const Scan scan = test::make_phantom_scan(maker, trajectory, {128, 120, 1}, {.coils = 3});
  const auto refusal = [&](const ReconOptions& options) {
    try {
      with_limit(scan, options, 1 << 20);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  ReconOptions options = planar();
  EXPECT_EQ(refusal(options).find("ESPIRiT"), std::string::npos);
  options.coil_maps = CoilMapMethod::nlinv;
  EXPECT_NE(refusal(options).find("make the coil maps by ESPIRiT"), std::string::npos) << refusal(options);
  options = {.method = ReconMethod::nlinv};
  EXPECT_NE(refusal(options).find("make the image by least squares, with coil maps by ESPIRiT"), std::string::npos)
      << refusal(options);
}

TEST(Tiles, AFolderThatIsNotThere) {
  if (test::device_context().device().kind != DeviceKind::cpu) GTEST_SKIP() << "a GPU spills to host memory";
  ReconOptions options = iterative();
  options.resources.spill.folder = "/no/such/folder";
  const Index needed = reconstruction_memory(test::device_context(), volume(), options);
  EXPECT_THROW(with_limit(volume(), options, needed * 6 / 10), Error);
}

}  // namespace
}  // namespace whorl
