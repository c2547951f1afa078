// What a reconstruction takes at its peak against what was predicted: with what is said to fit it must fit.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl {
namespace {

struct Problem {
  const char* name;
  std::function<Trajectory(const Context&)> trajectory;
  std::array<Index, 3> matrix;  // x first
  Index coils;
  double least_share = 0.9;  // of the prediction that a CPU takes
  Index frames = 1;          // of one trajectory
  double noise = 0;
};

// Each is made once: its samples take as long as its reconstruction.
const Scan& scan_of(const Problem& problem) {
  static std::map<std::string, Scan> made;
  const auto found = made.find(problem.name);
  if (found != made.end()) return found->second;
  const Context maker({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(problem.trajectory(maker));
  Scan scan = test::make_phantom_scan(maker, trajectory, problem.matrix,
                                      {.coils = problem.coils, .noise_standard_deviation = problem.noise});
  for (Index f = 1; f < problem.frames; ++f) {
    const ScanFrame& first = scan.frames.front();
    FrameIndex index = first.index;
    index.repetition = static_cast<int>(f);
    scan.frames.push_back(
        {index, first.trajectory, first.weights, clone<std::complex<float>>(maker, first.data.ref()), first.geometry});
  }
  return made.emplace(problem.name, std::move(scan)).first->second;
}

void check(const Problem& problem, ReconOptions options) {
  options.density_options.pipe_menon.iterations = 2;
  Scan scan = clone(Context({.threads = 2}), scan_of(problem));
  const Context ctx = test::device_context();
  // A CPU's scan is there already, from the pool of another context; a GPU gets its data. Prewhitened data are new ones.
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const auto& frame = scan.frames.front();
  const Index data = static_cast<Index>(scan.frames.size()) * frame.data.size() + scan.noise.size();
  const Index given = (options.prewhiten ? 0 : data) + frame.trajectory->points.size();
  const double held = on_host ? 8.0 * static_cast<double>(given) : 0.0;
  const auto predicted = static_cast<double>(reconstruction_memory(ctx, scan, options));
  reconstruct(ctx, std::move(scan), options);
  const double peak = held + static_cast<double>(ctx.pool().statistics().peak);
  std::printf("%s, %s: predicted %.2f MB, peak %.2f MB\n", problem.name,
              options.method == ReconMethod::gridding ? "gridding"
              : options.method == ReconMethod::nlinv  ? "nlinv"
                                                      : "cg-sense",
              1e-6 * predicted, 1e-6 * peak);
  // Blocks of memory are larger than arrays by as much as an eighth, and all are predicted with the share of the worst array: an
  // array of several images may take less. On a GPU the matrices of coil maps are bounded by their sizes.
  EXPECT_LE(peak, 1.1 * predicted) << problem.name;
  EXPECT_GE(peak, (on_host ? problem.least_share / 1.125 : 0.75) * predicted) << problem.name;
}

const Problem flat{"radial",
                   [](const Context& ctx) { return radial_trajectory(ctx, 200, 256, SpokeOrder::golden_angle); },
                   {128, 120, 1},
                   8};
const Problem spiral{
    "spiral", [](const Context& ctx) { return spiral_trajectory(ctx, 24, 4000, 6); }, {200, 200, 1}, 4};
// Little but the impulse response's own image of 64 pixels along each axis.
const Problem small_volume{
    "small kooshball", [](const Context& ctx) { return kooshball_trajectory(ctx, 400, 32); }, {20, 24, 16}, 1};
const Problem volume{
    "kooshball", [](const Context& ctx) { return kooshball_trajectory(ctx, 900, 72); }, {36, 32, 40}, 6};

const Problem stack{"stack of stars",
                    [](const Context& ctx) {
                      return stack_trajectory(ctx, radial_trajectory(ctx, 60, 128, SpokeOrder::uniform),
                                              {.partitions = 24});
                    },
                    {64, 64, 24},
                    4};
const Problem scattered{"random",
                        [](const Context& ctx) { return random_trajectory(ctx, 50000, 3, RandomRegion::box, 3); },
                        {36, 36, 32},
                        8};

TEST(ReconstructionMemory, OfGridding) {
  for (const Problem& problem : {flat, spiral, small_volume, volume, stack, scattered}) {
    check(problem, {.method = ReconMethod::gridding, .prewhiten = false});
  }
  for (const Problem& problem : {flat, small_volume, volume, stack}) {
    check(problem, {.method = ReconMethod::gridding, .prewhiten = false, .density = DensityMethod::radial});
  }
}

// Samples of the noise scan and of the data are most of what a small scan takes. The data are in another pool here, which the prediction
// counts: half of it is left.
TEST(ReconstructionMemory, OfJudgingTheNoise) {
  const Problem small{"small radial",
                      [](const Context& ctx) { return radial_trajectory(ctx, 50, 64, SpokeOrder::uniform); },
                      {32, 32, 1},
                      4,
                      0.4,
                      1,
                      0.03};
  check(small, {.method = ReconMethod::gridding});
}

TEST(ReconstructionMemory, OfCgSense) {
  for (const Problem& problem : {flat, spiral, volume, stack, scattered}) {
    check(problem, {.prewhiten = false, .cg_sense = {.iterations = 2}});
  }
}

// Images and maps of many coils take more than their samples and the transform.
TEST(ReconstructionMemory, OfWalshsMaps) {
  const Problem of_many_coils{"few spokes",
                              [](const Context& ctx) { return radial_trajectory(ctx, 24, 128, SpokeOrder::uniform); },
                              {128, 120, 1},
                              16};
  ReconOptions options{.prewhiten = false, .coil_maps = CoilMapMethod::walsh, .cg_sense = {.iterations = 2}};
  options.walsh.block = 1;
  check(of_many_coils, options);
}

TEST(ReconstructionMemory, OfNlinv) {
  for (const Problem& problem : {flat, spiral, volume}) {
    ReconOptions options{.method = ReconMethod::nlinv, .prewhiten = false};
    options.nlinv.steps = 2;
    options.nlinv.iterations = 2;
    check(problem, options);
    options.nlinv.sets = 2;
    check(problem, options);
    options.nlinv.sets = 1;
    options.method = ReconMethod::cg_sense;
    options.coil_maps = CoilMapMethod::nlinv;
    options.cg_sense.iterations = 2;
    check(problem, options);
  }
}

// Many frames of few samples, where the solver is the peak.
TEST(ReconstructionMemory, OfRegularizers) {
  const Problem series{
      "series",    [](const Context& ctx) { return radial_trajectory(ctx, 20, 192, SpokeOrder::golden_angle); },
      {96, 90, 1}, 2,
      0.9,         24};
  for (const char* text : {"llr:0.01,unit=largest", "wavelet:0.01,unit=largest", "l1:0.01,unit=largest",
                           "tv:0.01,unit=largest,axes=xyt", "tv:0.01,unit=largest,axes=t", "tv:0.01,unit=largest",
                           "tgv:0.01,unit=largest", "ictv:0.01,unit=largest", "low-rank-sparse:0.01,unit=largest"}) {
    for (const RegularizedSolver solver :
         {RegularizedSolver::automatic, RegularizedSolver::admm, RegularizedSolver::primal_dual}) {
      ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 2, .lambda = 0}};
      options.regularized.terms = {parse_regularizer(text)};
      options.regularized.solver = solver;
      std::printf("%s, %s: ", text, to_string(solver).c_str());
      check(series, options);
    }
  }
  // Replicas are solved together as frames are.
  Problem one = series;
  one.name = "one frame";
  one.frames = 1;
  one.noise = 0.01;
  for (const char* text : {"wavelet:0.01,unit=largest", "tv:0.01,unit=largest", "tgv:0.01,unit=largest"}) {
    for (const StandardDeviationMethod method : {StandardDeviationMethod::replica, StandardDeviationMethod::probe}) {
      ReconOptions options{.cg_sense = {.iterations = 2, .lambda = 0}};
      options.regularized.terms = {parse_regularizer(text)};
      options.error_bars.standard_deviation = true;
      options.error_bars.noise.method = method;
      options.error_bars.noise.count = 24;
      options.error_bars.noise.batch = 24;
      check(one, options);
    }
  }
}

// Error bars of least squares, each kind alone: replicas take much more than one bias or one point.
TEST(ReconstructionMemory, OfErrorBars) {
  for (Problem problem : {flat, volume}) {
    problem.name = problem.coils == flat.coils ? "radial with noise" : "kooshball with noise";
    problem.noise = 0.01;
    const auto expect_met = [&](const std::function<void(ErrorBarOptions&)>& choose) {
      ReconOptions options{.cg_sense = {.iterations = 2, .lambda = 0.01}};
      options.error_bars.noise.count = 8;
      options.error_bars.noise.batch = 8;
      options.error_bars.noise.iterations = 2;
      choose(options.error_bars);
      check(problem, options);
    };
    for (const auto method : {StandardDeviationMethod::replica, StandardDeviationMethod::probe}) {
      expect_met([&](ErrorBarOptions& bars) {
        bars.standard_deviation = true;
        bars.noise.method = method;
      });
    }
    expect_met([](ErrorBarOptions& bars) { bars.bias = true; });
    expect_met([](ErrorBarOptions& bars) { bars.points = {{1, 2, 0}}; });
  }
}

// The factors of a field of 200 Hz over 10 ms, beside the transform, and one application's image and samples.
TEST(ReconstructionMemory, OfASignalThatEvolves) {
  for (const Problem& problem : {flat, spiral, volume}) {
    const auto [nx, ny, nz] = problem.matrix;
    const Context ctx;
    auto map = std::make_shared<ReferenceImage>();
    map->values = Array<float>(ctx, nz > 1 ? Shape{nz, ny, nx} : Shape{ny, nx});
    for (Index i = 0; i < map->values.size(); ++i) {
      map->values.data()[i] = static_cast<float>(200 * static_cast<double>(i % nx) / static_cast<double>(nx));
    }
    map->affine.in_scanner = false;
    ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 2}};
    options.signal.field_map = map;
    options.signal.dwell_us = 1e4 / static_cast<double>(problem.trajectory(ctx).readout_length);
    check(problem, options);
    options.method = ReconMethod::gridding;
    check(problem, options);
  }
}

}  // namespace
}  // namespace whorl
