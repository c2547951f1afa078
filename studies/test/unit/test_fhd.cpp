// The steps of the study fhd against the double sum that they compute.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "studies/fhd/multi.hpp"
#include "studies/fhd/rungs.hpp"
#include "studies/fhd/searches.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::fhd {
namespace {

using Wide = std::complex<double>;
using Image = std::array<Index, 3>;

Scan random_scan(const Image& image, Index samples) {
  const Context host;
  return {image, test::random_points(host, samples, 3), test::random_array<double>(host, {samples}, 5),
          test::random_array<double>(host, {samples}, 6)};
}

Array<Wide> direct_sums(const Scan& scan) {
  const auto [nz, ny, nx] = scan.image;
  Array<Wide> sums = zeros<Wide>(Context(), {nz * ny * nx});
  const auto k = scan.points.view<2>();
  for (Index i = 0; i < sums.size(); ++i) {
    const Index x = i % nx - nx / 2;
    const Index y = i / nx % ny - ny / 2;
    const Index z = i / (nx * ny) - nz / 2;
    for (Index j = 0; j < scan.data.size(); ++j) {
      const double turns =
          k(j, 0) * static_cast<double>(x) + k(j, 1) * static_cast<double>(y) + k(j, 2) * static_cast<double>(z);
      sums.data()[i] +=
          std::conj(scan.phi.data()[j]) * scan.data.data()[j] * std::polar(1.0, 2 * std::numbers::pi * turns);
    }
  }
  return sums;
}

template <class Real>
Array<Wide> run(const Context& ctx, const Step<Real>& step, const Problem<Real>& problem) {
  const Index voxels = problem.voxels.extent(1);
  Array<Real> sums(ctx, {2, voxels});
  fill<Real>(ctx, sums, Real(7));  // what was there before must not count
  step.run(ctx, problem, sums);
  const Array<Real> here = to_host(ctx, sums.ref());
  Array<Wide> result(ctx.host(), {voxels});
  for (Index i = 0; i < voxels; ++i) result.data()[i] = {here.data()[i], here.data()[voxels + i]};
  return result;
}

// An angle of 2 pi k.r is at most pi sum n/2 for |k| <= 1/2. In it there are nine roundings of half an eps at most,
// with that of k. Sine and cosine are right to 5 eps (half_turns-inl.hpp; the hardware's: 2^-20.9); the recurrence adds
// that of its step, and as much as an eps for its product, for each voxel of a line. Rounding errors of a sum of n
// terms grow as sqrt(n), relative to a sum of random terms that grows so too. Tensor cores cut a sum off by an eps up
// to six times in each of 32 turns, all to one side.
template <class Real>
double bound(const Image& image, Index samples) {
  const auto [nz, ny, nx] = image;
  const double angle = std::numbers::pi / 2 * static_cast<double>(nx + ny + nz);
  const double roundings =
      4.5 * angle + 5 + 6 * static_cast<double>(nx) + std::sqrt(static_cast<double>(samples)) + 6 * 32;
  return roundings * std::numeric_limits<Real>::epsilon();
}

template <class Real>
void check(const Context& ctx, const std::vector<Step<Real>>& steps, const Image& image, Index samples) {
  const Scan scan = random_scan(image, samples);
  const Array<Wide> expected = direct_sums(scan);
  const Problem<Real> problem = problem_of<Real>(ctx, scan, 0, expected.size());
  for (const Step<Real>& step : steps) {
    SCOPED_TRACE(step.name);
    if (step.facts) {
      run(ctx, step, problem);  // a tuned step has no kernel before
      const KernelFacts facts = step.facts(ctx);
      EXPECT_GT(facts.registers, 0);
      EXPECT_LE(facts.registers, 255);
      EXPECT_GT(facts.occupancy, 0);
      EXPECT_LE(facts.occupancy, 1);
    }
    // Two factors of 11 bits each, rounded to nearest, in four products.
    const double halves = step.name == "tensor cores, 11 bits" ? 4 * std::ldexp(1.0, -11) : 0;
    EXPECT_LT(test::relative_error(run(ctx, step, problem), expected), bound<Real>(image, samples) + halves);
  }
}

TEST(Fhd, EveryStepOnTheCpuIsTheDoubleSum) {
  const Context ctx = test::device_context().host();
  Tuner tuner({});
  for (const auto& [image, samples] : {std::pair{Image{3, 5, 7}, Index{37}}, std::pair{Image{2, 3, 37}, Index{700}},
                                       std::pair{Image{1, 1, 1}, Index{1}}}) {
    SCOPED_TRACE(testing::Message() << image[2] << " x " << image[1] << " x " << image[0] << ", " << samples);
    check(ctx, double_cpu_steps(), image, samples);
    check(ctx, single_cpu_steps(tuner), image, samples);
    check(ctx, std::vector{cpu_baseline<double>(tuner)}, image, samples);
    check(ctx, std::vector{cpu_baseline<float>(tuner)}, image, samples);
    check(ctx, std::vector{cpu_chapter_step<double>(tuner)}, image, samples);
    check(ctx, std::vector{cpu_chapter_step<float>(tuner)}, image, samples);
  }
}

// Images that fill no tile, and parts of several; samples that fill no chunk, and parts of several, of constant memory
// (4096) and of tables (8192).
TEST(Fhd, EveryStepOnTheGpuIsTheDoubleSum) {
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "these kernels are for a GPU";
  Tuner tuner({});
  const std::vector<Step<float>> steps = gpu_steps(ctx, tuner);
  ASSERT_GE(steps.size(), 11U);
  for (const auto& [image, samples] : {std::pair{Image{3, 5, 7}, Index{37}}, std::pair{Image{3, 23, 70}, Index{4500}},
                                       std::pair{Image{2, 3, 5}, Index{8500}}, std::pair{Image{1, 1, 1}, Index{1}}}) {
    SCOPED_TRACE(testing::Message() << image[2] << " x " << image[1] << " x " << image[0] << ", " << samples);
    check(ctx, steps, image, samples);
  }
}

TEST(Fhd, ALadderIsHeldAgainstDoublePrecision) {
  const Context ctx = test::device_context();
  Trial trial{random_scan({3, 5, 8}, 61), {}};
  trial.truth = exact_sums(ctx, trial.scan);
  // Sums in double are right to 1e-14 (whorl/op/dft.hpp), and those here to eps times the angle.
  EXPECT_LT(test::relative_error(trial.truth, direct_sums(trial.scan)), 1e-14 + bound<double>(trial.scan.image, 61));

  // A step that can not do all takes the middle: 20 of 120 voxels.
  Step<double> step = double_cpu_steps()[2];
  step.most_terms = 20 * 61;
  LadderStep part = rung(ctx.host(), trial, step);
  EXPECT_DOUBLE_EQ(part.share, 20.0 / 120);
  part.run();
  const double error = part.error();
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-14 + bound<double>(trial.scan.image, 61));
  // SNR is 10 log10 of the power of the truth over that of the error.
  EXPECT_NEAR(std::get<double>(part.measures().at(0)), -20 * std::log10(error), 1e-9);

  LadderStep library = library_rung(ctx, trial);
  library.run();
  EXPECT_TRUE(library.product);
  // whorl/op/dft.hpp: 4e-6 on a GPU, a rounding on a CPU; Mu is rounded besides.
  EXPECT_LT(library.error(), 5e-6);
  EXPECT_GT(library.error(), 0);
}

// Parts of 35 of 105 voxels, and more workers than voxels.
TEST(Fhd, VoxelsDividedAmongWorkersAreTheSameSums) {
  const Context ctx = test::device_context();
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  const Step<float> step = gpu ? shared_gpu_step() : shared_cpu_step();
  const std::vector<Context> workers = gpu ? workers_of(ctx) : workers_of(Context({.threads = 3}));
  ASSERT_GE(workers.size(), gpu ? 1U : 3U);
  for (const Image& image : {Image{3, 5, 7}, Image{1, 1, 2}}) {
    const Scan scan = random_scan(image, 37);
    SharedSums sums(workers, scan);
    sums.run(step);
    EXPECT_LT(test::relative_error(sums.result(), direct_sums(scan)), bound<float>(image, 37));
  }
  // Q: every lag, and 1 for the data.
  const Scan q = scan_of_q(random_scan({1, 2, 3}, 11));
  EXPECT_EQ(q.image, (Image{2, 4, 6}));
  SharedSums sums(workers, q);
  sums.run(step);
  const Array<Wide> result = sums.result();
  EXPECT_LT(test::relative_error(result, direct_sums(q)), bound<float>(q.image, 11));
  EXPECT_NEAR(result.data()[(1 * 4 + 2) * 6 + 3].real(), 11, 1e-4);  // r = 0
}

TEST(Fhd, ErrorsOfWorkersArrive) {
  const std::vector<Context> workers = workers_of(Context({.threads = 3}));
  SharedSums sums(workers, random_scan({2, 2, 2}, 3));
  Step<float> step = shared_cpu_step();
  step.run = [](const Context&, const Problem<float>&, ArrayRef<float>) { throw std::runtime_error("of a worker"); };
  EXPECT_THROW(sums.run(step), std::runtime_error);
}

// ms = 1 + |log2(threads/128)| + |log2(chunk/1024)| + unroll, but the best of all lies where two sizes change together.
TEST(Fhd, ASearchOfOneSizeAfterTheOtherMissesWhatLiesAcross) {
  std::vector<TriedTuning> trials;
  for (const Tuning& tuning : combinations({64, 128, 256}, {512, 1024, 2048}, {1, 2})) {
    const double ms =
        1 + std::abs(std::log2(tuning.threads / 128.0)) + std::abs(std::log2(tuning.chunk / 1024.0)) + tuning.unroll;
    trials.push_back({tuning, tuning == Tuning{64, 512, 2} ? 0.5 : ms});
  }
  const std::vector<TriedTuning> way = search_one_by_one(trials, {256, 2048, 2});
  ASSERT_EQ(way.size(), 4U);
  EXPECT_EQ(way[0].tuning, (Tuning{256, 2048, 2}));
  EXPECT_EQ(way[1].tuning, (Tuning{128, 2048, 2}));
  EXPECT_EQ(way[2].tuning, (Tuning{128, 1024, 2}));
  EXPECT_EQ(way[3].tuning, (Tuning{128, 1024, 1}));
  EXPECT_THROW(search_one_by_one(trials, {1, 2, 3}), ValueError);

  Results results;
  // Sizes from a file: what they are, and nothing else.
  const Tuning kept{64, 0, 0};
  add_searches(Context(), std::vector{Search{"kept", kept, {}}}, "kept", results);
  ASSERT_EQ(results.tables.size(), 1U);
  ASSERT_EQ(results.tables[0].rows.size(), 1U);
  EXPECT_EQ(results.tables[0].rows[0], (std::vector<Cell>{"kept", 64.0, {}, {}, {}, {}, {}}));
  results = {};
  const std::vector<Search> both{{"loop", kept, {{kept, 3, 0.5}}}, {"kernel", {64, 512, 2}, trials}};
  add_searches(Context(), both, "kernel", results);
  ASSERT_EQ(results.tables.size(), 3U);
  ASSERT_EQ(results.tables[0].rows.size(), 2U);
  EXPECT_EQ(results.tables[0].rows[0], (std::vector<Cell>{"loop", 64.0, {}, {}, 1.0, 50.0, 1.0}));
  // The slowest is {256, 2048, 2}: 1 + 1 + 1 + 2.
  EXPECT_EQ(results.tables[0].rows[1], (std::vector<Cell>{"kernel", 64.0, 512.0, 2.0, 18.0, 0.0, 10.0}));
  // One for the loop; 3 x 3 threads and chunks, with the better of two unrollings.
  ASSERT_EQ(results.tables[1].rows.size(), 10U);
  EXPECT_EQ(results.tables[1].rows[1], (std::vector<Cell>{"kernel", 64.0, 512.0, 2.0, 0.5, 0.0}));
  EXPECT_EQ(results.tables[1].rows[5], (std::vector<Cell>{"kernel", 128.0, 1024.0, 1.0, 2.0, 0.0}));
  const auto& searches = results.tables[2].rows;
  ASSERT_EQ(searches.size(), 3U);
  EXPECT_EQ(std::get<double>(searches[1][5]), 6);  // 3 + 3 + 2, of which two twice
  EXPECT_DOUBLE_EQ(std::get<double>(searches[1][6]), 100 * (2 / 0.5 - 1));
  EXPECT_EQ(std::get<double>(searches[2][5]), 18);
  EXPECT_EQ(results.pictures.size(), 1U);
}

TEST(Fhd, TheScanIsAKooshballOfBoxes) {
  const Context host;
  const Scan scan = simulate(host, 16, 0);
  EXPECT_EQ(scan.data.size(), 79 * 7);
  EXPECT_EQ(simulate(host, 16, 100).data.size(), 14 * 7);
  EXPECT_EQ(simulate(host, 16, 1).data.size(), 7);
  // Phi is the integral over a box that begins at 0, here by the midpoint rule, whose error is (2 pi k / n)^2 / 24
  // along each of three axes: with |k| < 0.22 below 1e-7.
  constexpr int parts = 1000;
  for (const Index j : {Index{0}, Index{5}, Index{300}}) {
    Wide expected = 1;
    for (Index axis = 0; axis < 3; ++axis) {
      Wide integral = 0;
      for (int i = 0; i < parts; ++i) {
        integral += std::polar(1.0 / parts, -2 * std::numbers::pi * scan.points.view<2>()(j, axis) * (i + 0.5) / parts);
      }
      expected *= integral;
    }
    EXPECT_LT(std::abs(scan.phi.data()[j] - expected), 3e-7);
  }
}

}  // namespace
}  // namespace whorl::studies::fhd
