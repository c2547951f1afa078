// What moves samples and images: motion of the object, gradient delays and the field of view.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <filesystem>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/any_array.hpp"
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
  expect_one_line({"--delays", "0.3"}, 2, "expected 2 to 6 numbers, or auto");
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

// A phantom measured where each spoke has a center of its own: with the nominal trajectory the shifts are found, written,
// and taken again.
TEST_F(ReconPlace, MovesTheCenterOfEachReadout) {
  const Context ctx;
  Array<double> shifts(ctx, {30, 2});
  for (Index i = 0; i < shifts.size(); ++i) shifts.data()[i] = 0.25 * std::cos(2.4 * static_cast<double>(i * i));
  write_array(ctx, folder_ / "shifts.npy", {"shifts", clone(ctx, shifts.ref())});
  const std::vector<std::string> radial{"traj", "radial", "--matrix", "32", "--spokes", "30", "--readout", "64"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  test::expect_success(with(radial, {"-o", folder_ / "nominal.npz"}));
  test::expect_success(with(radial, {"--readout-shifts", folder_ / "shifts.npy", "-o", folder_ / "true.npz"}));
  test::expect_success(
      {"phantom", "brain", "-t", folder_ / "true.npz", "-o", folder_ / "measured.npz", "--coils", "4"});
  const auto recon = [&](const std::string& image, const std::vector<std::string>& more) {
    return with({"recon", folder_ / "measured.npz", "--trajectory-from", folder_ / "nominal.npz", "-o", folder_ / image,
                 "--iterations", "5"},
                more);
  };
  const std::string out = test::expect_success(
      recon("found.npy", {"--k-shift", "readouts", "--save-readout-shifts", folder_ / "found_shifts.npy"}));
  EXPECT_NE(out.find("found_shifts.npy"), std::string::npos) << out;
  const std::string record = test::read_file(folder_ / "found.npy.json");
  EXPECT_NE(record.find("shifts of 30 readouts, estimated from"), std::string::npos) << record;
  const auto found = converted<double>(ctx, read_array(ctx, folder_ / "found_shifts.npy").values, "found_shifts.npy");
  ASSERT_EQ(found.shape(), Shape({30, 2}));
  std::array<double, 2> mean{};
  for (Index i = 0; i < 60; ++i) mean[static_cast<std::size_t>(i % 2)] += (shifts.data()[i] - found.data()[i]) / 30;
  // Without noise the fit leaves 0.3 % of the signal, some thousandths of a cycle.
  for (Index i = 0; i < 60; ++i)
    EXPECT_NEAR(found.data()[i], shifts.data()[i] - mean[static_cast<std::size_t>(i % 2)], 0.02) << i;
  // The image is the same where the file is given: found.npy is also moved to the center of all.
  test::expect_success(recon("given.npy", {"--readout-shifts", folder_ / "found_shifts.npy", "--k-shift", "auto"}));
  const auto image = [&](const std::string& name) {
    return converted<std::complex<float>>(ctx, read_array(ctx, folder_ / name).values, name);
  };
  const auto a = image("found.npy");
  const auto b = image("given.npy");
  for (Index i = 0; i < a.size(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << i;

  test::expect_failure(recon("x.npy", {"--k-shift", "readouts", "--readout-shifts", folder_ / "shifts.npy"}), 2,
                       "--readout-shifts applies only with");
  test::expect_failure(recon("x.npy", {"--save-readout-shifts", folder_ / "x_shifts.npy"}), 2, "--save-readout-shifts");
  test::expect_failure(recon("x.npy", {"--readout-shifts", folder_ / "none.npy"}), 1, "none.npy");
  Array<double> few(ctx, {7, 2});
  fill<double>(few, 0.1);
  write_array(ctx, folder_ / "few.npy", {"few", std::move(few)});
  test::expect_failure(recon("x.npy", {"--readout-shifts", folder_ / "few.npy"}), 1,
                       "7 shifts of readouts, expected one for each readout");
  Array<double> wide(ctx, {30, 4});
  fill<double>(wide, 0.1);
  write_array(ctx, folder_ / "wide.npy", {"wide", std::move(wide)});
  test::expect_failure(recon("x.npy", {"--readout-shifts", folder_ / "wide.npy"}), 1, "expected [readout, 2 or 3]");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.npy"));
  // Noise has no center.
  expect_one_line({"--k-shift", "readouts"}, 1, "shifts of readouts: ");
}

TEST_F(ReconPlace, MovesTheFieldOfView) {
  const std::string out = test::expect_success(command({"--shift-fov", "2,-1.5"}));
  EXPECT_NE(out.find("moved by 2, -1.5, 0 pixels"), std::string::npos) << out;
  EXPECT_NE(test::expect_success(command({"--shift-fov", "header"})).find("moved to the position of the header"),
            std::string::npos);
  expect_one_line({"--shift-fov", "1"}, 2, "--shift-fov");
  expect_one_line({"--shift-fov", "footer"}, 2, "--shift-fov");
}

}  // namespace
}  // namespace whorl
