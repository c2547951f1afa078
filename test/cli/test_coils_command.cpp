#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"

namespace whorl {
namespace {

using test::expect_failure;
using test::expect_success;
using Complex = std::complex<float>;

class CoilsCommand : public testing::Test {
 protected:
  void SetUp() override { write_ismrmrd(ctx, test::make_small_scan(ctx), folder / "scan.h5"); }

  const Context ctx;
  const test::TemporaryFolder folder;
};

TEST_F(CoilsCommand, EstimateWritesTheLibrarysMaps) {
  for (const std::string method : {"espirit", "walsh"}) {
    std::vector<std::string> words{"coils",    "estimate", folder / "scan.h5", "-o", folder / "maps.npy",
                                   "--method", method,     "--threads",        "1"};
    if (method == "espirit") words.insert(words.end(), {"--calibration", "10", "--espirit-kernel", "4"});
    const std::string text = expect_success(words);
    EXPECT_NE(text.find("Coil maps: "), std::string::npos) << text;
    const auto maps = read_npy<Complex>(ctx, folder / "maps.npy");
    ReconOptions options{.prewhiten = false, .calibration = 10};
    options.espirit.kernel = 4;
    if (method == "walsh") options.coil_maps = CoilMapMethod::walsh;
    const auto expected = estimate_coil_maps(ctx, read_ismrmrd(ctx, folder / "scan.h5"), options);
    ASSERT_EQ(maps.shape(), (Shape{2, 3, 1, 16, 20}));
    // The number of threads orders the sums of the transforms.
    EXPECT_LT(test::relative_error(maps, expected.maps), 1e-3) << method;
  }
  const auto record = nlohmann::json::parse(test::read_file(folder / "maps.npy.json"));
  EXPECT_EQ(record["parameters"]["maps"], "walsh");
  EXPECT_EQ(record["parameters"]["prewhitening"], false);
}

TEST_F(CoilsCommand, EstimateByNonlinearInversion) {
  const std::string text = expect_success({"coils", "estimate", folder / "scan.h5", "-o", folder / "maps.npy",
                                           "--method", "nlinv", "--nlinv-steps", "4", "--threads", "1"});
  EXPECT_NE(text.find("Coil maps: nonlinear inversion in 4 steps, misfit "), std::string::npos) << text;
  const auto maps = read_npy<Complex>(ctx, folder / "maps.npy");
  ReconOptions options{.prewhiten = false, .coil_maps = CoilMapMethod::nlinv};
  options.nlinv.steps = 4;
  const auto expected = estimate_coil_maps(ctx, read_ismrmrd(ctx, folder / "scan.h5"), options);
  ASSERT_EQ(maps.shape(), (Shape{2, 3, 1, 16, 20}));
  // The number of threads orders the sums of the transforms.
  EXPECT_LT(test::relative_error(maps, expected.maps), 1e-3);
  for (Index r = 0; r < 320; ++r) {  // of the first slice: sum |s|^2 = 1
    double sum = 0;
    for (Index c = 0; c < 3; ++c) sum += std::norm(std::complex<double>(maps.data()[c * 320 + r]));
    ASSERT_NEAR(sum, 1, 1e-4) << r;
  }
  const auto record = nlohmann::json::parse(test::read_file(folder / "maps.npy.json"));
  EXPECT_EQ(record["parameters"]["maps"], "nlinv");
}

TEST_F(CoilsCommand, EstimateOfPreparedCoils) {
  const std::string text = expect_success({"coils", "estimate", folder / "scan.h5", "-o", folder / "maps.npy",
                                           "--prewhiten", "--coils", "2", "--calibration", "10"});
  EXPECT_NE(text.find("2 virtual coils of 3"), std::string::npos) << text;
  EXPECT_EQ((read_npy<Complex>(ctx, folder / "maps.npy").shape()), (Shape{2, 2, 1, 16, 20}));
}

TEST_F(CoilsCommand, CompressWritesAScanThatSaysWhatItKeeps) {
  const std::string text =
      expect_success({"coils", "compress", folder / "scan.h5", "-o", folder / "small.h5", "--coils", "2"});
  EXPECT_NE(text.find("2 virtual coils of 3 keep "), std::string::npos) << text;
  EXPECT_NE(text.find("Energy in the virtual coils"), std::string::npos) << text;
  const Scan small = read_ismrmrd(ctx, folder / "small.h5");
  EXPECT_EQ(small.coils, 2);
  EXPECT_EQ(small.frames.size(), 6U);
  // Prewhitened, and the noise scan with it.
  const auto covariance = noise_covariance<float>(ctx, small.noise).matrix;
  EXPECT_NEAR(covariance.view<2>()(0, 0).real(), 1, 1e-4);
  EXPECT_NEAR(std::abs(covariance.view<2>()(0, 1)), 0, 1e-4);
  const auto record = nlohmann::json::parse(test::read_file(folder / "small.h5.json"));
  EXPECT_GT(record["parameters"]["energy_kept"], 0.5);

  expect_success(
      {"coils", "compress", folder / "scan.h5", "-o", folder / "all.h5", "--energy", "1", "-q", "--no-prewhitening"});
  EXPECT_EQ(read_ismrmrd(ctx, folder / "all.h5").coils, 3);
}

// One large value is a tenth of the energy and more, which noise has not.
TEST_F(CoilsCommand, WrongNoiseIsTakenAsItIsOnRequest) {
  Scan scan = test::make_small_scan(ctx);
  scan.noise.data()[7] *= 1e4F;
  write_ismrmrd(ctx, scan, folder / "loud.h5");
  const std::vector<std::vector<std::string>> commands{
      {"coils", "compress", folder / "loud.h5", "-o", folder / "few.h5", "--coils", "2"},
      {"coils", "estimate", folder / "loud.h5", "-o", folder / "maps.npy", "--prewhiten", "--calibration", "10"}};
  for (std::vector<std::string> words : commands) {
    EXPECT_THAT(expect_success(words), testing::HasSubstr("The noise scan is left out"));
    words.emplace_back("--no-noise-check");
    EXPECT_THAT(expect_success(words), testing::Not(testing::HasSubstr("noise scan is left out")));
  }
}

TEST_F(CoilsCommand, ShowDrawsMagnitudeAndPhase) {
  const auto maps = test::random_array<float>(ctx, {3, 16, 20}, 1);
  write_npy<Complex>(ctx, folder / "maps.npy", maps);
  const std::string text = expect_success({"coils", "show", folder / "maps.npy", "-o", folder / "maps.png"});
  EXPECT_NE(text.find("3 coils of 20 x 16"), std::string::npos) << text;
  EXPECT_TRUE(std::filesystem::exists(folder / "maps.png"));
  write_npy<Complex>(ctx, folder / "volume.npy", test::random_array<float>(ctx, {2, 5, 6, 7}, 1));
  EXPECT_NE(expect_success({"coils", "show", folder / "volume.npy", "--slice", "4"}).find("2 coils of 7 x 6"),
            std::string::npos);
  write_npy<Complex>(ctx, folder / "slices.npy", test::random_array<float>(ctx, {2, 3, 1, 6, 7}, 1));
  EXPECT_NE(expect_success({"coils", "show", folder / "slices.npy"}).find("3 coils of 7 x 6"), std::string::npos);
  expect_failure({"coils", "show", folder / "slices.npy", "--slice", "2"}, 1, "0 to 1");
  write_npy<Complex>(ctx, folder / "image.npy", test::random_array<float>(ctx, {6, 7}, 1));
  expect_failure({"coils", "show", folder / "image.npy"}, 1, "[6, 7]");
}

TEST_F(CoilsCommand, FailuresSayWhatIsWrong) {
  const auto entries = folder.entries();
  const std::string scan = folder / "scan.h5";
  expect_failure({"coils"}, 2, "see whorl coils --help");
  expect_failure({"coils", "paint"}, 2, "'paint' is neither a command nor an option of whorl coils");
  expect_failure({"coils", "estimate", scan}, 2, "see whorl coils estimate --help");
  expect_failure({"coils", "estimate", scan, "-o", folder / "maps.txt"}, 2, "maps.txt");
  expect_failure({"coils", "compress", scan, "-o", folder / "a.txt", "--coils", "2"}, 2, "a.txt");
  expect_failure({"coils", "compress", scan, "-o", folder / "a.h5", "--coils", "2", "--energy", "0.9"}, 2, "--energy");
  expect_failure({"coils", "compress", scan, "-o", folder / "a.h5", "--coils", "4"}, 1, "4 virtual coils of 3");
  expect_failure({"coils", "compress", scan, "-o", scan, "--coils", "2"}, 2, "is an input");
  EXPECT_EQ(folder.entries(), entries);
}

}  // namespace
}  // namespace whorl
