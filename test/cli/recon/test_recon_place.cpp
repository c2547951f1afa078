// What moves samples and images: motion of the object, gradient delays and the field of view.
#include <gtest/gtest.h>

#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

class ReconPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  }

  std::vector<std::string> command(const std::vector<std::string>& options) const {
    std::vector<std::string> words{"recon", folder_ / "scan.h5", "-o", folder_ / "image.nii.gz", "--iterations", "2"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }

  void expect_one_line(const std::vector<std::string>& options, int exit_code, const std::string& part) const {
    test::expect_failure(command(options), exit_code, part);
  }

  test::TemporaryFolder folder_;
};

TEST_F(ReconPlace, UndoesMotion) {
  const Context ctx;
  const auto poses = [&](Index count) {
    write_array(ctx, folder_ / "poses.npy", {"poses", zeros<double>(ctx, {count, 3})});
    return folder_ / "poses.npy";
  };
  const std::string out = test::expect_success(command({"--motion", poses(1)}));
  EXPECT_NE(out.find("Motion: 1 pose undone"), std::string::npos) << out;
  test::expect_success(command({"--motion", poses(2), "--save-motion", folder_ / "saved.npy"}));
  const auto saved = read_array(ctx, folder_ / "saved.npy");
  EXPECT_EQ(std::get<Array<double>>(saved.values).shape(), Shape({2, 6}));
  expect_one_line({"--save-motion", folder_ / "other.npy"}, 2, "--save-motion");
  expect_one_line({"--motion", poses(1001)}, 1, "motion: 1001 poses");
  expect_one_line({"--estimate-motion", "1"}, 1, "motion: ");
  expect_one_line({"--estimate-motion", "5", "--motion", poses(1)}, 2, "--estimate-motion");
}

TEST_F(ReconPlace, MovesSpokesByGivenDelays) {
  const std::string out = test::expect_success(command({"--delays", "0.3,-0.2"}));
  EXPECT_NE(out.find("Gradient delays: 0.300,-0.200,0.000 samples, as given."), std::string::npos) << out;
  // Noise without an object has no center.
  expect_one_line({"--delays", "auto"}, 1, "gradient delays: ");
  expect_one_line({"--delays", "0.3"}, 1, "expected X,Y[,XY]");
  expect_one_line({"--delays", "0.3,far"}, 2, "--delays");
}

TEST_F(ReconPlace, PlaysGradients) {
  const Context ctx;
  const auto response = [&](const std::string& name, Index columns, double last_hz) {
    std::vector<NamedArray> arrays;
    Array<double> hertz(ctx, {2});
    hertz.data()[0] = 0;
    hertz.data()[1] = last_hz;
    arrays.push_back({"frequency_hz", std::move(hertz)});
    Array<std::complex<double>> values(ctx, {2, columns});
    fill<std::complex<double>>(values, 1);
    arrays.push_back({"response", std::move(values)});
    write_arrays(ctx, folder_ / name, arrays);
    return folder_ / name;
  };
  const std::string out = test::expect_success(command({"--girf", response("girf.npz", 3, 1e6), "--dwell", "5"}));
  EXPECT_NE(out.find("Gradient response: samples moved by up to"), std::string::npos) << out;
  test::expect_success(command({"--girf", response("girf.h5", 3, 1e6), "--dwell", "5"}));
  expect_one_line({"--girf", response("two.npz", 2, 1e6), "--dwell", "5"}, 1,
                  "expected [frequency], and [frequency, 3]");
  expect_one_line({"--girf", response("low.npz", 3, 10), "--dwell", "5"}, 1, "lies beyond its last frequency");
  expect_one_line({"--girf", folder_ / "scan.h5"}, 1, "scan.h5");
  expect_one_line({"--girf", folder_ / "none.npz"}, 1, "none.npz");
  write_array(ctx, folder_ / "plain.npy", {"plain", zeros<double>(ctx, {4})});
  expect_one_line({"--girf", folder_ / "plain.npy"}, 1, "no array frequency_hz");
}

TEST_F(ReconPlace, TakesTheMainFieldForConcomitantFields) {
  const std::string out = test::expect_success(command({"--concomitant", "--field-strength", "3", "--dwell", "5"}));
  EXPECT_NE(out.find("Signal: concomitant field at 127.7 MHz"), std::string::npos) << out;
  expect_one_line({"--concomitant", "--dwell", "5"}, 1, "give it in T (--field-strength)");
  expect_one_line({"--field-strength", "3"}, 2, "--field-strength applies only with --concomitant");
}

TEST_F(ReconPlace, MovesTheCenterOfKSpace) {
  const std::string out = test::expect_success(command({"--k-shift", "2,-1.5"}));
  EXPECT_NE(out.find("K-space: its center lies at 2.00, -1.50, 0.00"), std::string::npos) << out;
  expect_one_line({"--k-shift", "1"}, 2, "--k-shift");
  expect_one_line({"--k-shift", "1,2,3"}, 1, "k-space shift: 3 cycles");
  expect_one_line({"--k-shift", "auto"}, 1, "k-space shift: ");
}

TEST_F(ReconPlace, MovesTheFieldOfView) {
  const std::string out = test::expect_success(command({"--shift-fov", "2,-1.5"}));
  EXPECT_NE(out.find("moved by 2, -1.5, 0 pixels"), std::string::npos) << out;
  expect_one_line({"--shift-fov", "1"}, 2, "--shift-fov");
}

}  // namespace
}  // namespace whorl
