// Numbers, magnitudes and names that a user should not give: one line that fits, and nothing computed of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <sstream>
#include <utility>

#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

class HostileValues : public ::testing::Test {
 protected:
  test::ProcessResult run(const std::string& words) const {
    std::vector<std::string> command{WHORL_PROGRAM};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) command.push_back(word);
    return test::run_process(command, {.folder = folder_ / "."});
  }

  void expect_refused(const std::string& words, int exit_code, const std::string& part) const {
    const auto result = run(words + " -q");
    EXPECT_EQ(result.exit_code, exit_code) << words << '\n' << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << words << '\n' << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  template <class T>
  void write(const std::string& name, T value) const {
    Array<T> values(ctx_, {24, 20});
    for (Index i = 0; i < values.size(); ++i) values.data()[i] = value * T(1 + 0.01 * static_cast<double>(i));
    write_array(ctx_, folder_ / name, {"values", std::move(values)});
  }

  // The scan with its data and noise multiplied.
  void write_scaled(const std::string& name, float data, float noise) const {
    Scan scan = test::make_small_scan(ctx_);
    for (ScanFrame& frame : scan.frames) {
      for (Complex& value : frame.data.span()) value *= data;
    }
    for (Complex& value : scan.noise.span()) value *= noise;
    write_scan(ctx_, scan, folder_ / name);
  }

  test::TemporaryFolder folder_;
  Context ctx_;
};

TEST_F(HostileValues, MagnitudesThatFiltersDoNotTake) {
  for (const float value : {1e30F, 1e-30F, 1e18F}) {
    write<Complex>("i.npy", value);
    expect_refused("filter i.npy o.npy magnitude", 1, "multiply the values by a power of ten first");
    write<float>("r.npy", value);
    expect_refused("filter r.npy o.npy non-local-means", 1, "multiply the values by a power of ten first");
  }
  for (const float value : {1e9F, 1e-9F}) {
    write<Complex>("i.npy", value);
    EXPECT_EQ(run("filter i.npy o.npy magnitude -q").exit_code, 0) << value;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.npy.json"));
}

TEST_F(HostileValues, ParametersThatFloatDoesNotHold) {
  write<float>("i.npy", 1);
  expect_refused("filter i.npy o.npy --scale 1e-50", 2, "in magnitude, which float32 holds");
  expect_refused("filter i.npy o.npy --window 5 5", 2, "low and high are both 5");
}

// Squares of 1e200 are infinite, those of 1e-200 are 0.
TEST_F(HostileValues, MagnitudesThatMeasuresDoNotTake) {
  for (const double value : {1e200, 1e160, 1e-160, 1e-200}) {
    write<double>("a.npy", value);
    write<double>("b.npy", 1.01 * value);
    for (const std::string more : {"", " --scale", " --magnitude", " --map m.png"}) {
      expect_refused("compare b.npy a.npy" + more, 1, "multiply the values by a power of ten first");
    }
  }
  write<double>("a.npy", 1e60);
  EXPECT_EQ(run("compare a.npy a.npy").out.find("nan"), std::string::npos);
}

TEST_F(HostileValues, MagnitudesThatPicturesDoNotTake) {
  for (const double value : {1e200, 1e-200}) {
    write<double>("a.npy", value);
    expect_refused("view a.npy -o a.png", 1, "picture: the array has values up to");
    write<std::complex<double>>("c.npy", value);
    expect_refused("view c.npy -o a.png", 1, "picture: the array has values up to");
    EXPECT_EQ(run("view c.npy -o a.png --phase").exit_code, 0);
  }
}

// The compressed data are in units of the noise: the same, whatever the gain of the scanner.
TEST_F(HostileValues, CompressionOfAnyMagnitude) {
  write_scaled("one.npz", 1, 1);
  ASSERT_EQ(run("coils compress one.npz -o c.npz --coils 2 -q").exit_code, 0);
  const Scan expected = read_scan(ctx_, folder_ / "c.npz", {});
  for (const float gain : {1e30F, 1e-30F, 1e-36F}) {
    write_scaled("far.npz", gain, gain);
    const auto result = run("coils compress far.npz -o d.npz --coils 2 -q");
    ASSERT_EQ(result.exit_code, 0) << gain << result.err;
    const Scan found = read_scan(ctx_, folder_ / "d.npz", {});
    double error = 0;
    double size = 0;
    for (Index i = 0; i < expected.frames[0].data.size(); ++i) {
      // Virtual coils are known up to a phase.
      const double wanted = std::abs(expected.frames[0].data.data()[i]);
      error = std::max(error, std::abs(std::abs(found.frames[0].data.data()[i]) - wanted));
      size = std::max(size, wanted);
    }
    // Rounding of float32 to 6e-8 in the data, the covariance of the noise and its inverse root.
    EXPECT_LT(error, 1e-4 * size) << gain;
  }
  // Noise that is rounding beside the data, or louder than they are, is not theirs, and is left out.
  for (const auto& [gain, noise] : {std::pair(1e30F, 1e-10F), std::pair(1e-30F, 1e20F)}) {
    write_scaled("far.npz", gain, noise);
    const auto result = run("coils compress far.npz -o e.npz --coils 2");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const std::complex<float> value : read_scan(ctx_, folder_ / "e.npz", {}).frames[0].data.span()) {
      ASSERT_TRUE(std::isfinite(std::abs(value))) << gain;
    }
  }
}

// Not "the operator is zero" of a solver that was given no maps.
TEST_F(HostileValues, DataThatTellNothingOfTheCoils) {
  ASSERT_EQ(run("traj radial --matrix 7 -o t.h5 -q").exit_code, 0);
  ASSERT_EQ(run("phantom brain -t t.h5 -o s.h5 --coils 3 --snr 10 -q").exit_code, 0);
  expect_refused("recon s.h5 -o a.npy --espirit-kernel 6", 1,
                 "ESPIRiT: no voxel lies in the object: calibration data [3, 7, 7]");
  expect_refused("coils estimate s.h5 -o a.npy --espirit-kernel 6", 1,
                 "take a smaller crop, or the maps of Walsh's method");
  EXPECT_EQ(run("recon s.h5 -o a.npy -q --maps walsh").exit_code, 0);
  write_scaled("zero.npz", 0, 1);
  expect_refused("recon zero.npz -o b.npy --maps walsh", 1, "Walsh's method: all data is zero");
}

TEST_F(HostileValues, WeightsThatLeaveNothing) {
  expect_refused("recon none.h5 -o a.npy --lambda 1e300", 2, "--lambda is 1e+300, expected a number, 0 to 1e+30");
  expect_refused("nufft inverse none.h5 -o a.npy --lambda 1e31", 2, "0 to 1e+30");
}

// What no reader takes is not written.
TEST_F(HostileValues, ScansThatAreNotFinite) {
  ASSERT_EQ(run("traj radial --matrix 16 -o t.h5 -q").exit_code, 0);
  expect_refused("phantom brain -t t.h5 -o s.h5 --noise 1e300", 2, "--noise is 1e+300, expected a number, 0 to 1e+30");
  expect_refused("phantom brain -t t.h5 -o s.h5 --snr 1e-300", 2, "--snr is 1e-300");
  write_array(ctx_, folder_ / "c.npy", {"covariance", [&] {
                                          Array<double> covariance = zeros<double>(ctx_, {2, 2});
                                          covariance.data()[0] = covariance.data()[3] = 1e200;
                                          return covariance;
                                        }()});
  for (const std::string name : {"s.h5", "s.npz", "s.cfl"}) {
    expect_refused("phantom brain -t t.h5 --coils 2 --noise-covariance c.npy -o " + name, 1,
                   "of the data of frame 0 is not finite");
    EXPECT_FALSE(std::filesystem::exists(folder_ / name)) << name;
  }
}

TEST_F(HostileValues, FieldsOfViewThatNoFormatHolds) {
  expect_refused("traj radial --matrix 16 --fov 1e300 -o t.h5", 2, "--fov is '1e+300'");
  expect_refused("phantom brain --matrix 8,8 --fov 1e300,1e300 --object o.nii", 2, "expected 2 to 3 numbers, 1e-06 to");
  expect_refused("traj spiral --matrix 16 --fov 200 --max-slew 1e-300 -o t.h5", 2, "--max-slew is 1e-300");
}

TEST_F(HostileValues, NumbersAlongAnAxisThatTheImageHasNot) {
  const std::string part = "has a number along z, and the image is 2D";
  expect_refused("traj cartesian --matrix 16 -o t.h5 --undersampling regular --acceleration 2 --calibration 4,4", 1,
                 "--calibration " + part);
  expect_refused("traj cartesian --matrix 16 -o t.h5 --partial-fourier 0.75,0.75", 1, "--partial-fourier " + part);
  EXPECT_EQ(run("traj cartesian --matrix 16,16,8 -o t.h5 --partial-fourier 0.75,0.75 -q").exit_code, 0);
}

TEST_F(HostileValues, NoFileIsCalledLikeStandardOutput) {
  expect_refused("study mri_q --size 4 --samples 4 --output -", 2, "--output: '-' is standard output");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "-"));
}

TEST_F(HostileValues, LargestIndices) {
  write<float>("i.npy", 1);
  expect_refused("view i.npy -o a.png --slices 9223372036854775807", 1, "there is no slice 9223372036854775807");
  expect_refused("view i.npy -o a.png --frames 9223372036854775807", 1, "there is no frame 9223372036854775807");
}

}  // namespace
}  // namespace whorl
