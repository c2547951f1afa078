#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "studies/mri_q/climb.hpp"
#include "studies/mri_q/cpu/turns.hpp"
#include "studies/mri_q/parboil.hpp"
#include "support/device.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::studies::mri_q {
namespace {

// Voxels that lie on no grid.
Problem scattered(const Context& host, Index samples, Index voxels) {
  Problem problem = make_problem(host, 1, samples);
  for (Index i = 0; i < 3 * samples; ++i) problem.k.data()[i] *= 16;
  problem.r = Array<float>(host, {3, voxels});
  for (Index i = 0; i < 3 * voxels; ++i) {
    problem.r.data()[i] = static_cast<float>(1.5 * (random_uniform(9, static_cast<std::uint64_t>(i)) - 0.5));
  }
  return problem;
}

// |k| <= 8 and |r| <= 0.75 along each axis give up to 18 turns, 113 rad. Five roundings in k.r and two in its product
// with 2 pi are eps/2 of that each at most; hardware functions reduce it to one turn with another and are right to
// 2^-20.9 = 4.3 eps then: 8 eps/2 * 113 + 5 eps < 460 eps. Sums of n terms with random signs add sqrt(n) eps. Relative
// to the sum, which grows as sqrt(n) too, as random errors of the terms do.
double bound(Index samples) {
  return (460 + std::sqrt(static_cast<double>(samples))) * std::numeric_limits<float>::epsilon();
}

void check(const Context& ctx, const QStep& step, Index samples, Index voxels) {
  SCOPED_TRACE(testing::Message() << step.name << ", " << samples << " samples, " << voxels << " voxels");
  const Problem problem = scattered(ctx.host(), samples, voxels);
  const Truth truth = truth_of(ctx.host(), problem, voxels);
  ASSERT_EQ(truth.q.size(), static_cast<std::size_t>(voxels));
  const Problem there = on_device(ctx, problem);
  Array<float> q(ctx, {2, voxels});
  fill<float>(ctx, q, std::numeric_limits<float>::quiet_NaN());
  step.run(ctx, there, q);
  EXPECT_LT(relative_error(truth, to_host(ctx, q.ref())), bound(samples));
}

// No vector, a part of one, parts of tiles and of pieces; one sample.
TEST(MriQSteps, LoopsOfTheHostAreTheSums) {
  const Context host = test::device_context().host();
  for (const int vectors : {1, 2, 3, 4, 8}) {
    ASSERT_EQ(host_steps(vectors).size(), 8U);
    for (const QStep& step : host_steps(vectors)) {
      check(host, step, 1, 1);
      check(host, step, 53, 211);
      check(host, step, 7, 2500);
    }
  }
}

// Tiles of samples that are not full, full, and several; a number that no unrolling divides; blocks that are not full.
TEST(MriQSteps, EveryKernelOfTheDeviceIsTheSums) {
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "these kernels are for a GPU";
  for (const int threads : gpu_tuning().choices) {
    ASSERT_EQ(gpu_steps(threads).size(), 13U);
    for (const QStep& step : gpu_steps(threads)) {
      check(ctx, step, 1, 1);
      check(ctx, step, 53, 211);
      check(ctx, step, 1024, 3001);
      check(ctx, step, 2503, 4099);
    }
    const auto tuned = [&](const Context& context, const Problem& problem, ArrayRef<float> q) {
      gpu_tuning().run(context, problem, q, threads);
    };
    check(ctx, {"tuning", tuned}, 1030, 3001);
  }
}

TEST(MriQParboil, TimesFilesAlsoWithinACommand) {
  const Context ctx = test::device_context();
  const AtomicFileGroup group;  // as the program has one around a command
  const ParboilTimes times = parboil_times(ctx, scattered(ctx.host(), 7, 11));
  EXPECT_GT(times.input, 0);
  EXPECT_GT(times.output, 0);
  EXPECT_EQ(times.copy.has_value(), ctx.device().kind == DeviceKind::cuda);
}

// The ladder as it is climbed: the library's transforms too, for voxels of a grid of odd and even extent.
TEST(MriQLadder, EveryStepComputesItsPart) {
  const Context ctx = test::device_context();
  const bool on_cpu = ctx.device().kind == DeviceKind::cpu;
  for (const Index size : {6, 13}) {
    const Problem problem = make_problem(ctx.host(), size, 1500);
    const Ladder ladder = ladder_of(ctx, problem, on_cpu ? 2 : 64, size);
    EXPECT_EQ(ladder.steps.back().name, "Dft on the grid");
    for (const LadderStep& step : ladder.steps) {
      SCOPED_TRACE(step.name);
      step.run();
      // |k.r| <= 3 size/4 <= 10 turns: what bound() allows for 18.
      EXPECT_LT(step.error(), bound(1500));
      EXPECT_LE(step.share, 1);
      if (step.product || size == 6) {
        EXPECT_EQ(step.share, 1);
      }
    }
    // The plain loops of a CPU sum 2e6 of 13^3 * 1500 terms: 1333 of 2197 voxels.
    if (size == 13 && on_cpu) {
      EXPECT_DOUBLE_EQ(ladder.steps[0].share, 1333.0 / 2197);
    }
    EXPECT_DOUBLE_EQ(ladder.flops, 12.0 * 1500 * static_cast<double>(problem.voxels()) + 3 * 1500);
  }
}

TEST(MriQTuning, ChoosesTheFastest) {
  const Context ctx = test::device_context();
  const Tuned tuned = tune(ctx, scattered(ctx.host(), 20, 300));
  bool found = false;
  for (const auto& row : tuned.table.rows) {
    const double times_fastest = std::get<double>(row[2]);
    EXPECT_GE(times_fastest, 1);
    if (std::get<double>(row[0]) == tuned.choice) found = times_fastest == 1;
  }
  EXPECT_TRUE(found);
}

// What the kernels of the host are made of: polynomials for s and c of half the angle, whose errors of 3.4e-9
// and 4.7e-8 the double angle, 2 s c and 1 - 2 s^2, makes 9.4e-8 at most. Roundings: 3 of eps/2 in s, relative to it,
// and 2 eps in c, whose terms are up to 1.2 where they cancel: 2 s c is off by 4 eps + 3/2 eps + eps/2, 1 - 2 s^2 by 2
// (3 eps + eps/2) + eps/2: 7.5 eps at most.
TEST(MriQTurns, SineAndCosineOfAnyNumberOfTurns) {
  constexpr double bound = 9.4e-8 + 7.5 * std::numeric_limits<float>::epsilon();
  for (int i = -4000; i <= 4000; ++i) {
    const float turns = 0.0137F * static_cast<float>(i);
    const SineCosine found = of_turns(turns);
    const double angle = 2 * std::numbers::pi * turns;
    EXPECT_NEAR(found.sine, std::sin(angle), bound) << turns;
    EXPECT_NEAR(found.cosine, std::cos(angle), bound) << turns;
  }
}

TEST(MriQProblem, IsReadFromParboilsFile) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const Problem problem = scattered(ctx, 5, 7);
  const auto part = [&](ArrayRef<const float> planes, Index axis) { return clone(ctx, planes.slice(axis)); };
  std::vector<NamedArray> arrays;
  for (const Index axis : {0, 1, 2}) {
    arrays.push_back({std::string("k") + "xyz"[axis], part(problem.k, axis)});
    arrays.push_back({std::string(1, "xyz"[axis]), part(problem.r, axis)});
  }
  arrays.push_back({"phi", clone(ctx, problem.phi.ref())});
  const auto file = folder / "input.bin";
  write_arrays(ctx, file, arrays);
  for (const Index most : {0, 3, 9}) {
    const Problem read = read_problem(ctx, file, most);
    ASSERT_EQ(read.samples(), most == 3 ? 3 : 5);
    ASSERT_EQ(read.voxels(), 7);
    for (Index j = 0; j < read.samples(); ++j) {
      EXPECT_EQ(read.phi.data()[j], problem.phi.data()[j]);
      for (Index axis = 0; axis < 3; ++axis) EXPECT_EQ(read.k.view<2>()(axis, j), problem.k.view<2>()(axis, j));
    }
    for (Index i = 0; i < 21; ++i) EXPECT_EQ(read.r.data()[i], problem.r.data()[i]);
  }
  // An archive that has one array less; numbers that are none.
  arrays.pop_back();
  write_arrays(ctx, folder / "short.npz", arrays);
  EXPECT_THROW(read_problem(ctx, folder / "short.npz", 0), ValueError);
  Array<Complex> phi = clone(ctx, problem.phi.ref());
  phi.data()[2] = {1, 0.123F};
  arrays.push_back({"phi", std::move(phi)});
  write_arrays(ctx, folder / "infinite.bin", arrays);
  test::replace_number(folder / "infinite.bin", 0.123F, std::numeric_limits<float>::infinity());
  EXPECT_THROW(read_problem(ctx, folder / "infinite.bin", 0), ValueError);
  EXPECT_THROW(read_problem(ctx, folder / "missing.bin", 0), IoError);
}

TEST(MriQProblem, IsMadeOnTheGridOfParboil) {
  const Context ctx;
  const Problem problem = make_problem(ctx, 4, 6);
  EXPECT_EQ(problem.voxels(), 64);
  const auto r = problem.r.view<2>();
  // x fastest, from -1/2 on.
  const Index voxel = 1 + 4 * 3 + 16 * 2;
  EXPECT_EQ(r(0, voxel), -0.25F);
  EXPECT_EQ(r(1, voxel), 0.25F);
  EXPECT_EQ(r(2, voxel), 0);
  for (const float k : problem.k.span()) EXPECT_LE(std::abs(k), 2);
  // Parts are spread over all: voxels 64 (2 i + 1) / 6 of three.
  const Problem part = with_voxels(ctx, problem, 3);
  ASSERT_EQ(part.voxels(), 3);
  for (const Index i : {0, 1, 2}) {
    const Index from = std::array<Index, 3>{10, 32, 53}[static_cast<std::size_t>(i)];
    for (Index axis = 0; axis < 3; ++axis) EXPECT_EQ(part.r.view<2>()(axis, i), r(axis, from));
  }
}

Array<float> numbers(const Context& ctx, std::initializer_list<float> values) {
  Array<float> array(ctx, {2, static_cast<Index>(values.size()) / 2});
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

// 1e-4 of the largest number, or 0.002 of each: 0.01 for 100 and 0.2 of it.
TEST(MriQAcceptance, IsParboils) {
  const Context ctx;
  const Array<float> reference = numbers(ctx, {100, -50, 0, 1, -8, 0.25F});
  const Acceptance same = judge(reference, reference);
  EXPECT_TRUE(same.accepted());
  EXPECT_EQ(same.numbers, 6);
  EXPECT_EQ(same.largest_difference, 0);
  EXPECT_EQ(same.largest_reference, 100);
  EXPECT_TRUE(judge(numbers(ctx, {100.19F, -50.09F, 0.0099F, 1.0099F, -8.015F, 0.2401F}), reference).accepted());
  const Acceptance bad = judge(numbers(ctx, {100.21F, -50.11F, -0.0101F, 0.9899F, -8.017F, 0.2603F}), reference);
  EXPECT_EQ(bad.outside, 6);
  EXPECT_NEAR(bad.largest_difference, 0.21, 1e-5);  // a number near 100 is rounded by 4e-6
  EXPECT_EQ(judge(numbers(ctx, {100, -50, 0, NAN, -8, 0.25F}), reference).outside, 1);
  EXPECT_THROW(judge(numbers(ctx, {1, 2}), reference), ShapeError);
}

}  // namespace
}  // namespace whorl::studies::mri_q
