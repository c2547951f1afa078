// Reconstruction with regularizers: what weights mean, that solvers agree, frames together, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/file_content.hpp"
#include "test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/prox/low_rank.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

ReconOptions options_with(std::vector<std::string> regularizers, int iterations = 200) {
  ReconOptions options;
  options.prewhiten = false;
  options.cg_sense.lambda = 0;
  options.cg_sense.iterations = iterations;
  options.calibration = 20;
  for (const std::string& text : regularizers) options.regularized.terms.push_back(parse_regularizer(text));
  return options;
}

Reconstruction reconstruct_here(const Scan& scan, const ReconOptions& options) {
  return reconstruct(test::device_context(2), scan, options);
}

double energy(ArrayRef<const Complex> x) {
  double sum = 0;
  for (const Complex value : x.span()) sum += std::norm(std::complex<double>(value));
  return sum;
}

TEST(Regularizer, TextsComeBack) {
  for (const char* text :
       {"tv:0.01,unit=largest", "tv:0.5,unit=largest,axes=xyt,cyclic=t",
        "wavelet:0.005,unit=largest,taps=4,levels=3,approximation=yes,joint=yes", "l1:1e-05,unit=largest",
        "llr:0.02,unit=largest,patch=5,shift=no", "tgv:0.01,unit=largest,axes=xy,ratio=1.5",
        "ictv:0.01,unit=largest,cyclic=xyt,time=2,mix=0.25",
        "low-rank-sparse:0.01,unit=largest,matrix=patches,patch=4,transform=differences,sparse=0.5", "positive"}) {
    EXPECT_EQ(to_text(parse_regularizer(text)), text);
  }
  const Regularizer named = parse_regularizer("wavelet:taps=6,weight=0.25");
  EXPECT_EQ(named.taps, 6);
  EXPECT_EQ(named.weight, 0.25);
  // In any order.
  EXPECT_EQ(parse_regularizer("low-rank-sparse:0.1,unit=largest,patch=5,matrix=patches").patch, 5);
  EXPECT_TRUE(parse_regularizer("low-rank-sparse:0.1,unit=largest").spans_frames());
  EXPECT_TRUE(parse_regularizer("tv:0.1,unit=largest,axes=t").spans_frames());
  EXPECT_FALSE(parse_regularizer("tv:0.1,unit=largest,axes=zyx").spans_frames());
  EXPECT_TRUE(parse_regularizer("llr:0.1,unit=largest").spans_frames());
  EXPECT_TRUE(parse_regularizer("l1:0.1,unit=largest,joint=yes").spans_frames());
}

TEST(Regularizer, SaysWhatIsWrong) {
  for (const auto& [text, part] :
       {std::pair{"total:0.1", "kind"}, std::pair{"tv:-1", "weight"},
        std::pair{"tv:0.1,unit=largest,taps=4", "wavelet"}, std::pair{"wavelet:0.1,unit=largest,taps=5", "even"},
        std::pair{"tv:0.1,unit=largest,axes=xq", "axes"}, std::pair{"tv:0.1,unit=largest,axes=xx", "axes"},
        std::pair{"tv:0.1,unit=largest,cyclic=t", "cyclic has t"},
        std::pair{"tgv:0.1,unit=largest,axes=xy,cyclic=z", "cyclic has z"},
        std::pair{"ictv:0.1,unit=largest,cyclic=q", "cyclic is 'q'"},
        std::pair{"llr:0.1,unit=largest,cyclic=t", "tv, tgv or ictv"},
        std::pair{"tv:0.1,unit=largest,0.2", "NAME=VALUE"}, std::pair{"positive:1", "weight"},
        std::pair{"low-rank-sparse:1,unit=largest,patch=4", "matrix=patches"}, std::pair{"tv:", "weight"}}) {
    try {
      parse_regularizer(text);
      FAIL() << text;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

// |b[r]| <= 1 in units of the largest magnitude of b = A^H d / s: at the weight 1 the image 0 is the minimizer of l1, as
// 0 - b + weight v = 0 with |v| <= 1, and below it is not.
TEST(RegularizedRecon, WeightOneOfL1LeavesNothing) {
  const Context host;
  const Scan scan = test::make_test_scan(host);
  EXPECT_EQ(energy(reconstruct_here(scan, options_with({"l1:1.0001,unit=largest"})).images), 0);
  EXPECT_GT(energy(reconstruct_here(scan, options_with({"l1:0.98,unit=largest"})).images), 0);
}

TEST(RegularizedRecon, WeightsMeanTheSameForAnyGain) {
  const Context host;
  const Scan scan = test::make_test_scan(host, {.noise = 0.02});
  Scan louder = test::make_test_scan(host, {.noise = 0.02});
  for (Complex& sample : louder.frames.front().data.span()) sample *= 512;
  for (const char* text : {"tv:0.01,unit=largest", "wavelet:0.01,unit=largest"}) {
    const Reconstruction one = reconstruct_here(scan, options_with({text}, 20));
    Reconstruction other = reconstruct_here(louder, options_with({text}, 20));
    for (Complex& value : other.images.span()) value /= 512;
    // A power of two changes no rounding but that of the coil maps' calibration.
    EXPECT_LT(test::relative_error(other.images, one.images), 1e-4) << text;
  }
}

// A relative residual of 3e-5 of both kinds leaves the cost within some 1e-5 of the least one.
TEST(RegularizedRecon, SolversReachTheSameCost) {
  const Context host;
  const Scan scan = test::make_test_scan(host, {.noise = 0.05, .spokes = 24});
  for (const auto& [text, solvers] :
       {std::pair{std::string("l1:0.02,unit=largest"),
                  std::vector{RegularizedSolver::fista, RegularizedSolver::admm, RegularizedSolver::primal_dual}},
        std::pair{std::string("wavelet:0.01,unit=largest,shift=no"),
                  std::vector{RegularizedSolver::fista, RegularizedSolver::admm}},
        std::pair{std::string("tv:0.005,unit=largest"),
                  std::vector{RegularizedSolver::admm, RegularizedSolver::primal_dual}},
        std::pair{std::string("tv:0.005,unit=largest,cyclic=xy"),
                  std::vector{RegularizedSolver::admm, RegularizedSolver::primal_dual}}}) {
    std::vector<double> costs;
    for (const RegularizedSolver solver : solvers) {
      ReconOptions options = options_with({text}, 4000);
      options.regularized.solver = solver;
      options.cg_sense.tolerance = 3e-5;
      const SolverReport report = reconstruct_here(scan, options).reports.front();
      EXPECT_EQ(report.stop_reason, StopReason::tolerance) << text << to_string(solver);
      costs.push_back(report.costs.back());
      EXPECT_LT(report.costs.back(), report.costs.front());
    }
    for (const double cost : costs) EXPECT_NEAR(cost, costs.front(), 2e-4 * costs.front()) << text;
  }
}

TEST(RegularizedRecon, IsNearerToTheTruthThanLeastSquares) {
  const Context host;
  const Scan noisy = test::make_test_scan(host, {.noise = 0.1, .spokes = 20});
  const Scan clean = test::make_test_scan(host, {.spokes = 120});
  ReconOptions plain = options_with({}, 60);
  const Reconstruction truth = reconstruct_here(clean, plain);
  double least = 1;
  for (const double lambda : {1e-4, 1e-3, 1e-2, 3e-2}) {
    plain.cg_sense.lambda = lambda;
    least = std::min(least, test::relative_error(reconstruct_here(noisy, plain).images, truth.images));
  }
  for (const char* text : {"tv:0.01,unit=largest", "wavelet:0.01,unit=largest"}) {
    EXPECT_LT(test::relative_error(reconstruct_here(noisy, options_with({text})).images, truth.images), 0.85 * least)
        << text;
  }
}

// Frames of different trajectories and one object: differences in time of a large weight make them one image.
TEST(RegularizedRecon, HoldsFramesOfSeveralTrajectoriesTogether) {
  const Context host;
  Scan scan = test::make_test_scan(host, {.spokes = 40});
  Scan other = test::make_test_scan(host, {.spokes = 31});
  other.frames.front().index.repetition = 1;
  scan.frames.push_back(std::move(other.frames.front()));
  const auto difference = [](const Reconstruction& result) {
    Array<Complex> first(Context(), result.images.slice(0).shape());
    Array<Complex> second(Context(), result.images.slice(0).shape());
    copy<Complex>(result.images.slice(0), first);
    copy<Complex>(result.images.slice(1), second);
    return test::relative_error(first, second);
  };
  const Reconstruction apart = reconstruct_here(scan, options_with({"tv:0.0005,unit=largest,axes=xy"}));
  const Reconstruction together =
      reconstruct_here(scan, options_with({"tv:0.0005,unit=largest,axes=xy", "tv:1,unit=largest,axes=t"}));
  ASSERT_EQ(together.images.extent(0), 2);
  EXPECT_EQ(together.reports.size(), 2U);
  EXPECT_GT(difference(apart), 0.01);
  EXPECT_LT(difference(together), 0.1 * difference(apart));
  // A series of two frames in which one differs by its scale has rank one at each place: llr leaves it nearly as it is.
  EXPECT_NO_THROW(reconstruct_here(scan, options_with({"llr:0.01,unit=largest"}, 5)));
  // The part that must not change in time holds the object; the other one may change, but is nearly flat in space.
  EXPECT_LT(difference(reconstruct_here(scan, options_with({"ictv:0.02,unit=largest,time=50"}, 400))),
            0.5 * difference(apart));
}

// The parts of a series: their sum is the images, and no other split of it costs less. The cost of a split is computed here,
// the nuclear norm by LowRank (tested against dense matrices) and the spectra by direct sums.
TEST(RegularizedRecon, PartsAreTheCheapestSplit) {
  const Context host;
  Scan scan = test::make_test_scan(host, {.coils = 3, .spokes = 40});
  for (int t = 1; t < 5; ++t) test::add_frame(host, scan, {.repetition = t}, {1 + 0.2F * static_cast<float>(t), 0});
  // What moves: other data in one frame.
  for (Complex& sample : scan.frames[2].data.span().subspan(0, 96 * 40)) sample *= 1.2F;
  ReconOptions options = options_with({"low-rank-sparse:0.003,unit=largest,sparse=0.7"}, 600);
  options.regularized.keep_parts = true;
  options.mask = ImageMask::none;
  const Reconstruction result = reconstruct_here(scan, options);
  ASSERT_EQ(result.parts.shape(), Shape({5, 2, 1, 40, 48}));
  const Index voxels = 40 * 48;
  const Shape series{5, voxels};
  Array<Complex> low(host, series);
  Array<Complex> sparse(host, series);
  for (Index f = 0; f < 5; ++f) {
    copy<Complex>(result.parts.slice(f).slice(0).reshape({voxels}), low.slice(f));
    copy<Complex>(result.parts.slice(f).slice(1).reshape({voxels}), sparse.slice(f));
  }
  Array<Complex> sum = clone<Complex>(host, low.ref());
  axpby<float>(host, 1, sparse, 1, sum);
  EXPECT_LT(test::relative_error(sum, clone<Complex>(host, result.images.ref().reshape(series))), 1e-6);  // rounding
  EXPECT_GT(energy(low), 0);
  EXPECT_GT(energy(sparse), 0);

  const LowRank<float> nuclear(series);
  const auto cost = [&](ArrayRef<const Complex> l, ArrayRef<const Complex> s) {
    double magnitudes = 0;
    for (Index v = 0; v < voxels; ++v) {
      for (Index k = 0; k < 5; ++k) {
        std::complex<double> coefficient = 0;
        for (Index t = 0; t < 5; ++t) {
          const double turns = static_cast<double>(k * t) / 5;
          coefficient +=
              std::complex<double>(s.data()[t * voxels + v]) * std::polar(1 / std::sqrt(5.0), -2 * M_PI * turns);
        }
        magnitudes += std::abs(coefficient);
      }
    }
    return std::sqrt(static_cast<double>(voxels)) * nuclear.value(host, l) + 0.7 * magnitudes;
  };
  const double least = cost(low, sparse);
  // 600 iterations leave the split some thousandths from its minimum, where the cost is flat.
  const auto moved = [&](ArrayRef<const Complex> from, double by) {
    Array<Complex> l = clone<Complex>(host, low.ref());
    Array<Complex> s = clone<Complex>(host, sparse.ref());
    axpby<float>(host, -by, from, 1, l);
    axpby<float>(host, by, from, 1, s);
    return cost(l, s);
  };
  for (const double by : {-1.0, -0.2, 0.2, 1.0}) {
    EXPECT_GT(moved(low, by), 0.999 * least) << by;
    EXPECT_GT(moved(sparse, by), 0.999 * least) << by;
  }
  EXPECT_GT(moved(low, 1), 1.01 * least);       // all of it sparse
  EXPECT_GT(moved(sparse, -1), 1.001 * least);  // all of it of low rank
}

// Frames of two slices in turns: those of a slice are solved together, and come back in the scan's order.
TEST(RegularizedRecon, KeepsTheOrderOfFrames) {
  const Context host;
  Scan scan = test::make_test_scan(host, {.coils = 2, .spokes = 30});
  test::add_frame(host, scan, {.slice = 1}, 2);
  test::add_frame(host, scan, {.repetition = 1}, 1);
  test::add_frame(host, scan, {.slice = 1, .repetition = 1}, 2);
  const Reconstruction result =
      reconstruct_here(scan, options_with({"tv:0.01,unit=largest,axes=t", "tv:0.001,unit=largest"}, 10));
  ASSERT_EQ(result.images.extent(0), 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result.frames[i].index.slice, static_cast<int>(i % 2));
  const auto energy_of = [&](Index frame) { return energy(result.images.slice(frame)); };
  EXPECT_NEAR(energy_of(2), energy_of(0), 1e-3 * energy_of(0));
  EXPECT_NEAR(energy_of(1), 4 * energy_of(0), 1e-2 * energy_of(1));
  EXPECT_NEAR(energy_of(3), 4 * energy_of(0), 1e-2 * energy_of(3));
}

// Error bars keep the order of frames: slices in turns have those of one slice after the other, but for rounding in the order in which
// the noise is found. Four replicas tell apart those of any two frames: by 6 % on a CPU, 3 % on a GPU, twice the bound.
TEST(RegularizedRecon, ErrorBarsKeepTheOrderOfFrames) {
  const Context host;
  const auto deviations = [&](const std::vector<FrameIndex>& others) {
    Scan scan = test::make_test_scan(host, {.coils = 2, .noise = 0.05, .spokes = 30});
    for (const FrameIndex& index : others) test::add_frame(host, scan, index, index.slice == 1 ? 2 : 1);
    ReconOptions options = options_with({"tv:0.01,unit=largest,axes=t"}, 20);
    options.prewhiten = true;
    options.error_bars = {.standard_deviation = true, .noise = {.count = 4}};
    return reconstruct_here(scan, options).error_bars.standard_deviation;
  };
  const Array<float> in_turns =
      deviations({{.slice = 1}, {.slice = 0, .repetition = 1}, {.slice = 1, .repetition = 1}});
  const Array<float> sorted = deviations({{.slice = 0, .repetition = 1}, {.slice = 1}, {.slice = 1, .repetition = 1}});
  const auto difference = [&](Index turn, Index place) {
    const auto found = in_turns.slice(turn);
    const auto expected = sorted.slice(place);
    double squares = 0;
    double all = 0;
    for (Index i = 0; i < found.size(); ++i) {
      squares += std::pow(double{found.data()[i]} - expected.data()[i], 2);
      all += std::pow(double{expected.data()[i]}, 2);
    }
    return std::sqrt(squares / all);
  };
  ASSERT_EQ(in_turns.extent(0), 4);
  for (Index frame = 0; frame < 4; ++frame) {
    const Index place = 2 * (frame % 2) + frame / 2;
    EXPECT_LT(difference(frame, place), 0.01) << frame;
    if (place != frame) {
      EXPECT_GT(difference(frame, frame), 0.02) << frame;
    }
  }
}

// Three frames of a cycle that begins with another one of them: with cyclic=t the images begin there too, without it the
// first and the last frame have one neighbor each. Residuals of 1e-5 leave some 1e-4 of the images.
TEST(RegularizedRecon, CyclesBeginAnywhere) {
  const Context host;
  const auto images_of = [&](const std::vector<float>& scales, const char* text) {
    Scan scan = test::make_test_scan(host, {.coils = 2, .spokes = 30});
    for (int i = 1; i < 3; ++i) {
      test::add_frame(host, scan, {.repetition = i}, scales[static_cast<std::size_t>(i)] / scales.front());
    }
    for (ScanFrame& frame : scan.frames) {
      for (Complex& sample : frame.data.span()) sample *= scales.front();
    }
    ReconOptions options = options_with({text}, 2000);
    options.cg_sense.tolerance = 1e-5;
    return reconstruct_here(scan, options).images;
  };
  const auto difference = [&](const char* text) {
    const Array<Complex> one = images_of({1, 2, 4}, text);
    const Array<Complex> other = images_of({2, 4, 1}, text);
    Array<Complex> turned(host, one.shape());
    for (Index i = 0; i < 3; ++i) copy<Complex>(host, other.ref().slice((i + 2) % 3), turned.ref().slice(i));
    return test::relative_error(turned, one);
  };
  EXPECT_LT(difference("tv:0.02,unit=largest,axes=t,cyclic=t"), 1e-3);
  EXPECT_GT(difference("tv:0.02,unit=largest,axes=t"), 1e-2);
}

TEST(RegularizedRecon, PositiveImagesAreReal) {
  const Context host;
  const Scan scan = test::make_test_scan(host, {.coils = 1, .noise = 0.1, .spokes = 30});
  const Reconstruction result = reconstruct_here(scan, options_with({"positive", "tv:0.002,unit=largest"}, 30));
  for (const Complex value : result.images.span()) {
    EXPECT_EQ(value.imag(), 0);
    EXPECT_GE(value.real(), 0);
  }
}

TEST(RegularizedRecon, RefusesWhatDoesNotGoTogether) {
  const Context host;
  const Scan scan = test::make_test_scan(host);
  const auto refused = [&](const std::function<void(ReconOptions&)>& change, std::vector<std::string> texts) {
    ReconOptions options = options_with(std::move(texts), 2);
    change(options);
    EXPECT_THROW(reconstruct_here(scan, options), ValueError);
  };
  const auto nothing = [](ReconOptions&) {};
  refused([](ReconOptions& options) { options.method = ReconMethod::gridding; }, {"tv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.cg_sense.lambda_search.emplace(); }, {"tv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.error_bars.standard_deviation = true; }, {"tv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.regularized.solver = RegularizedSolver::fista; },
          {"tv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.regularized.solver = RegularizedSolver::fista; },
          {"tgv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.regularized.solver = RegularizedSolver::fista; },
          {"l1:0.1,unit=largest", "wavelet:0.1,unit=largest"});
  refused(nothing, {"tv:0.1,unit=largest,axes=xyt"});
  refused(nothing, {"tv:0.1,unit=largest,axes=xyz"});
  refused(nothing, {"tv:0.1,unit=largest,cyclic=z"});
  refused(nothing, {"llr:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.regularized.keep_parts = true; }, {"tv:0.1,unit=largest"});
  refused([](ReconOptions& options) { options.regularized.keep_parts = true; }, {});
  refused(nothing, {"ictv:0.1,unit=largest"});
  refused(nothing, {"low-rank-sparse:0.1,unit=largest"});
}

}  // namespace
}  // namespace whorl
