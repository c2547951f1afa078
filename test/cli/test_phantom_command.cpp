#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/phantom_scan.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using test::run_process;

class PhantomCommand : public ::testing::Test {
 protected:
  // Two frames of golden-angle spokes for a matrix of 36 x 32, 6 mm a pixel along x.
  void SetUp() override {
    const auto spokes = [&](Index count) {
      return std::make_shared<const Trajectory>(radial_trajectory(ctx_, count, 64, SpokeOrder::golden_angle));
    };
    Scan scan = test::make_trajectory_scan(spokes(20), {36, 32, 1});
    scan.dwell_us = 5;
    scan.frames[0].geometry.field_of_view_mm = {216, 216, 4};
    scan.frames[0].data = Array<std::complex<float>>(ctx_, {0, 20 * 64});
    ScanFrame second{
        {.repetition = 1}, spokes(7), nullptr, Array<std::complex<float>>(ctx_, {0, 7 * 64}), scan.frames[0].geometry};
    scan.frames.push_back(std::move(second));
    write_scan(ctx_, scan, trajectory_);
  }

  test::ProcessResult run(const std::vector<std::string>& words) const {
    std::vector<std::string> command{WHORL_PROGRAM, "phantom"};
    command.insert(command.end(), words.begin(), words.end());
    return run_process(command);
  }

  // Runs a command that fails: one line, this exit code, nothing left behind.
  std::string failure(std::vector<std::string> words, int exit_code) const {
    const auto before = folder_.entries();
    words.emplace_back("-q");
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(folder_.entries(), before);
    return result.err;
  }

  template <class T>
  Array<T> read(const std::string& name) const {
    return converted<T>(ctx_, read_array(ctx_, folder_ / name).values, name);
  }

  Context ctx_;
  test::TemporaryFolder folder_;
  std::string trajectory_ = folder_ / "trajectory.h5";
  std::string output_ = folder_ / "scan.h5";
};

TEST_F(PhantomCommand, WritesTheScanOfAllFramesWithNoise) {
  const auto result = run({"brain", "-t", trajectory_, "-o", output_, "--coils", "3", "--noise", "0.05",
                           "--noise-correlation", "0.4", "--noise-samples", "3000", "--seed", "9"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("brain phantom, 2D, matrix 36 x 32, "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("wrote " + output_), std::string::npos);
  const Scan scan = read_scan(ctx_, output_);
  EXPECT_EQ(scan.coils, 3);
  ASSERT_EQ(scan.frames.size(), 2U);
  EXPECT_EQ(scan.frames[1].data.shape(), (Shape{3, 7 * 64}));
  EXPECT_NEAR(scan.frames[0].geometry.field_of_view_mm[0], 216, 1e-3);
  EXPECT_EQ(scan.dwell_us, 5);

  // Estimates of 3000 samples have standard deviations of 1 / sqrt(3000) = 1.8 %; 5 of them are allowed.
  const NoiseCovariance covariance = noise_covariance<float>(ctx_, scan.noise);
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b) {
      const double expected = a == b ? 1 : 0.4;  // three coils on a ring are all neighbors
      EXPECT_LT(std::abs(covariance.matrix.view<2>()(a, b) / 0.0025 - expected), 5 / std::sqrt(3000.0));
    }
  }
  // The data is the exact signal along the positions of the file, which are in single precision: they move the phase
  // at 18 pixels from the center by 2 pi * 18 * 3e-8. The rest is the noise.
  const PhantomCoils coils = make_phantom_coils(ctx_, {36, 32, 1}, 3);
  const auto clean = phantom_coil_samples<float>(ctx_, brain_phantom(2), coils, scan.frames[0].trajectory->points);
  double energy = 0;
  for (Index i = 0; i < clean.size(); ++i) energy += std::norm(scan.frames[0].data.data()[i] - clean.data()[i]);
  EXPECT_NEAR(energy / static_cast<double>(clean.size()) / 0.0025, 1, 5 * std::sqrt(1.32 / 1280));

  const auto record = nlohmann::json::parse(test::read_file(folder_ / "scan.h5.json"));
  EXPECT_EQ(record["parameters"]["noise_standard_deviation"], 0.05);
  EXPECT_EQ(record["inputs"][0]["path"], trajectory_);
  EXPECT_EQ(record["outputs"][0], output_);
}

TEST_F(PhantomCommand, WritesImages) {
  const auto result = run({"brain", "-t", trajectory_, "--coils", "2", "-q", "--truth", folder_ / "truth.npy",
                           "--object", folder_ / "object.nii.gz", "--maps", folder_ / "maps.npy", "--field-map",
                           folder_ / "field.npy", "--r2star-map", folder_ / "r2star.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  const auto maps = read<std::complex<float>>("maps.npy");
  ASSERT_EQ(maps.shape(), (Shape{2, 1, 32, 36}));
  const auto truth = read<float>("truth.npy");
  const auto object = read<float>("object.nii.gz");
  const auto r2_star = read<float>("r2star.npy");
  ASSERT_EQ(truth.shape(), (Shape{32, 36}));
  ASSERT_EQ(object.size(), truth.size());
  const Phantom brain = brain_phantom(2);
  const auto field = field_map(ctx_, brain, {36, 32, 1});
  for (Index i = 0; i < truth.size(); ++i) {
    const double sum = std::sqrt(std::norm(maps.data()[i]) + std::norm(maps.slice(1).data()[i]));
    EXPECT_NEAR(truth.data()[i], sum * object.data()[i], 1e-6 * (1 + sum));
  }
  const Array<float> expected_r2_star = r2_star_map(ctx_, brain, {36, 32, 1});
  EXPECT_EQ(r2_star.view<2>()(16, 18), expected_r2_star.view<2>()(16, 18));
  const Array<float> read_field = read<float>("field.npy");
  EXPECT_EQ(read_field.view<2>()(10, 18), field.view<2>()(10, 18));
  // Voxels of 6 mm.
  EXPECT_NEAR(std::abs(read_array(ctx_, folder_ / "object.nii.gz").affine.value().matrix[0][0]), 6, 1e-5);
}

TEST_F(PhantomCommand, WithoutATrajectoryItMakesImages) {
  for (const std::string name : {"shepp-logan", "brain", "resolution", "geometric"}) {
    const auto flat = run({name, "--matrix", "64", "72", "--object", folder_ / "flat.npy"});
    ASSERT_EQ(flat.exit_code, 0) << flat.err;
    EXPECT_EQ(read<float>("flat.npy").shape(), (Shape{72, 64}));
    const auto volume =
        run({name, "--matrix", "40", "44", "48", "--fov", "200", "200", "240", "--object", folder_ / "volume.nii"});
    ASSERT_EQ(volume.exit_code, 0) << volume.err;
    EXPECT_EQ(read<float>("volume.nii").shape(), (Shape{48, 44, 40}));
  }
  // 4 mm lines at 1 mm a pixel are 4 pixels wide.
  ASSERT_EQ(run({"resolution", "--matrix", "128", "128", "--line-widths", "4", "--line-unit", "mm", "--object",
                 folder_ / "mm.npy"})
                .exit_code,
            0);
  ASSERT_EQ(
      run({"resolution", "--matrix", "128", "128", "--line-widths", "4", "--object", folder_ / "pixel.npy"}).exit_code,
      0);
  EXPECT_EQ(test::read_file(folder_ / "mm.npy"), test::read_file(folder_ / "pixel.npy"));
  ASSERT_EQ(
      run({"shepp-logan", "--contrast", "standard", "--matrix", "64", "64", "--object", folder_ / "s.npy"}).exit_code,
      0);
  const Array<float> standard = read<float>("s.npy");
  EXPECT_NEAR(standard.view<2>()(32, 32), 1.02, 1e-5);
}

// SNR: the mean of the object over the noise's standard deviation; of one channel of sensitivity 1.
TEST_F(PhantomCommand, TheSignalToNoiseRatioSetsTheNoise) {
  const auto result = run({"shepp-logan", "-t", trajectory_, "-o", output_, "--coils", "0", "--snr", "20", "--object",
                           folder_ / "object.npy", "--noise-samples", "20000"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto object = read<float>("object.npy");
  double sum = 0;
  int count = 0;
  for (const float value : object.span()) {
    sum += value;
    count += value != 0 ? 1 : 0;
  }
  const Scan scan = read_scan(ctx_, output_);
  ASSERT_EQ(scan.coils, 1);
  const double variance = noise_covariance<float>(ctx_, scan.noise).matrix.data()[0].real();
  const double expected = std::pow(sum / count / 20, 2);
  EXPECT_NEAR(variance / expected, 1, 5 / std::sqrt(20000.0));
}

TEST_F(PhantomCommand, TakesACovarianceFromAFile) {
  Array<std::complex<double>> covariance = zeros<std::complex<double>>(ctx_, {2, 2});
  covariance.data()[0] = 3;
  covariance.data()[1] = {0.5, -1};
  covariance.data()[2] = {0.5, 1};
  covariance.data()[3] = 1;
  const std::string file = folder_ / "covariance.npy";
  write_array(ctx_, file, {"covariance", clone(ctx_, covariance.ref())});
  const auto expect_noise = [&](const std::vector<std::string>& more, double scale) {
    std::vector<std::string> words{"brain",   "-t", trajectory_,          "-o", output_,
                                   "--coils", "2",  "--noise-covariance", file};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto estimate = noise_covariance<float>(ctx_, read_scan(ctx_, output_).noise);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_LT(std::abs(estimate.matrix.data()[i] - scale * covariance.data()[i]), scale * 3 * 5 / std::sqrt(4096.0));
    }
  };
  expect_noise({}, 1);
  // Scaled to a mean variance of 0.04: by 0.04 / 2.
  expect_noise({"--noise", "0.2"}, 0.02);
}

TEST_F(PhantomCommand, MistakesAreNamed) {
  EXPECT_NE(failure({"brain", "-o", output_}, 2).find("--trajectory"), std::string::npos);
  failure({"kidney", "--matrix", "8", "8", "--object", folder_ / "a.npy"}, 2);
  failure({"brain", "-t", trajectory_, "--matrix", "8", "8", "--object", folder_ / "a.npy"}, 2);
  failure({"brain", "-t", trajectory_, "-o", folder_ / "scan.txt"}, 2);
  failure({"brain", "--matrix", "8", "8", "--object", folder_ / "a.txt"}, 2);
  EXPECT_NE(failure({"brain", "--object", folder_ / "a.npy"}, 2).find("--matrix"), std::string::npos);
  EXPECT_NE(failure({"brain", "-t", trajectory_}, 2).find("nothing to write"), std::string::npos);
  EXPECT_NE(failure({"brain", "-t", trajectory_, "-o", trajectory_}, 2).find("another name"), std::string::npos);
  EXPECT_NE(failure({"brain", "--matrix", "8", "8", "--object", folder_ / "a.npy", "--truth", folder_ / "a.npy"}, 2)
                .find("is also an output of --object"),
            std::string::npos);
  EXPECT_NE(failure({"brain", "-t", folder_ / "missing.h5", "-o", output_}, 1).find("missing.h5"), std::string::npos);
  failure({"brain", "-t", trajectory_, "-o", output_, "--noise-correlation", "0.4"}, 2);
  failure({"resolution", "-t", trajectory_, "-o", output_, "--line-widths", "9"}, 1);
  write_array(ctx_, folder_ / "three.npy", {"c", zeros<std::complex<double>>(ctx_, {3, 3})});
  EXPECT_NE(failure({"brain", "-t", trajectory_, "-o", output_, "--noise-covariance", folder_ / "three.npy"}, 1)
                .find("[8, 8]"),
            std::string::npos);
  failure({"brain", "-t", trajectory_, "-o", output_, "--noise", "1", "--noise-covariance", folder_ / "three.npy"}, 1);
  EXPECT_NE(failure({"brain", "--matrix", "8", "8", "--object", folder_ / "missing/a.npy"}, 1).find("a.npy"),
            std::string::npos);
}

// The limit lies between the image with the coils (36 x 32 numbers, 5 kB), which is written first, and the maps of the
// 8 coils (74 kB).
TEST_F(PhantomCommand, OnAFullDiskNoOutputAppears) {
  const auto before = folder_.entries();
  const auto result = run_process({WHORL_PROGRAM, "phantom", "brain", "-t", trajectory_, "-q", "--coils", "8",
                                   "--truth", folder_ / "truth.npy", "--maps", folder_ / "maps.npy"},
                                  {.file_bytes = 40000});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("maps.npy"), std::string::npos) << result.err;
  EXPECT_EQ(folder_.entries(), before);
}

TEST_F(PhantomCommand, EchoesAreContrastsOfOneScan) {
  ASSERT_EQ(run({"brain", "-t", trajectory_, "-o", output_, "--coils", "2", "--echo-times", "2,5", "-q"}).exit_code, 0);
  const Scan echoes = read_scan(ctx_, output_);
  ASSERT_EQ(echoes.frames.size(), 4U);
  EXPECT_EQ(echoes.frames[2].index, (FrameIndex{.contrast = 1}));
  // Each is the scan of --echo-time, by the usual number of points; both are written as the same floats.
  ASSERT_EQ(run({"brain", "-t", trajectory_, "-o", folder_ / "one.h5", "--coils", "2", "--evolve", "2", "--echo-time",
                 "5", "-q"})
                .exit_code,
            0);
  const Scan one = read_scan(ctx_, folder_ / "one.h5");
  for (std::size_t frame = 0; frame < 2; ++frame) {
    const auto& found = echoes.frames[2 + frame].data;
    ASSERT_EQ(found.shape(), one.frames[frame].data.shape());
    EXPECT_TRUE(std::equal(found.span().begin(), found.span().end(), one.frames[frame].data.span().begin()));
  }
  ASSERT_EQ(run({"t2", "-t", trajectory_, "-o", output_, "--coils", "0", "--echo-times", "0,40,80", "-q"}).exit_code,
            0);
  EXPECT_EQ(read_scan(ctx_, output_).frames.size(), 6U);
}

TEST_F(PhantomCommand, AnObjectMovesAndTheMotionIsUndoneByItsPoses) {
  const std::string still = folder_ / "still.h5";
  ASSERT_EQ(run({"shepp-logan", "-t", trajectory_, "-o", still, "--coils", "0", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"shepp-logan", "-t", trajectory_, "-o", output_, "--coils", "0", "--drift", "6,-3,0", "--save-motion",
                 folder_ / "poses.npy", "-q"})
                .exit_code,
            0);
  const auto poses = read<double>("poses.npy");
  ASSERT_EQ(poses.shape(), (Shape{27, 6}));
  EXPECT_EQ(poses.view<2>()(26, 0), 6);
  EXPECT_EQ(poses.view<2>()(13, 1), -1.5);
  Scan moved = read_scan(ctx_, output_);
  const Scan rest = read_scan(ctx_, still);
  EXPECT_GT(test::relative_error(moved.frames[1].data, rest.frames[1].data), 0.1);
  // A coil of uniform sensitivity, and shifts alone: a phase for each sample, to the rounding of float.
  undo_motion(ctx_, moved, object_poses(poses, 2));
  EXPECT_LT(test::relative_error(moved.frames[1].data, rest.frames[1].data), 1e-6);
  ASSERT_EQ(run({"shepp-logan", "-t", trajectory_, "-o", folder_ / "again.h5", "--coils", "0", "--motion",
                 folder_ / "poses.npy", "-q"})
                .exit_code,
            0);
  EXPECT_LT(test::relative_error(read_scan(ctx_, folder_ / "again.h5").frames[1].data,
                                 read_scan(ctx_, output_).frames[1].data),
            1e-6);
}

TEST_F(PhantomCommand, AHeartBeatsAtTheTimesOfTheReadouts) {
  EXPECT_NE(failure({"beating", "-t", trajectory_, "-o", output_}, 1).find("give it by --readout-interval"),
            std::string::npos);
  ASSERT_EQ(
      run({"beating", "-t", trajectory_, "-o", output_, "--coils", "0", "--readout-interval", "50", "-q"}).exit_code,
      0);
  const Scan scan = read_scan(ctx_, output_);
  const auto& points = scan.frames[1].trajectory->points;
  // The last of 27 readouts, 1.3 s after the first. Positions in single precision, as above.
  const auto expected = phantom_samples(ctx_, beating_phantom(26 * 0.05), {36, 32, 1},
                                        ArrayRef<const double>(points.data() + 6 * 64 * 2, {64, 2}));
  for (Index i = 0; i < 64; ++i) {
    EXPECT_LT(std::abs(std::complex<double>(scan.frames[1].data.data()[6 * 64 + i]) - expected.data()[i]), 1e-4);
  }
}

TEST_F(PhantomCommand, OneChangeAtATime) {
  EXPECT_NE(failure({"brain", "-t", trajectory_, "-o", output_, "--drift", "1,2,3", "--echo-times", "1,2"}, 2)
                .find("object that rests otherwise"),
            std::string::npos);
  EXPECT_NE(failure({"brain", "-t", trajectory_, "-o", output_, "--save-motion", folder_ / "p.npy"}, 2).find("--drift"),
            std::string::npos);
  EXPECT_NE(failure({"brain", "-t", trajectory_, "-o", output_, "--drift", "1,2"}, 2).find("--drift"),
            std::string::npos);
}

}  // namespace
}  // namespace whorl
