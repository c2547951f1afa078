#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

class ReconNlinv : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  }

  test::ProcessResult recon(std::vector<std::string> arguments) const {
    std::vector<std::string> command{WHORL_PROGRAM, "recon", folder_ / "scan.h5", "--device", "cpu"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run_process(command);
  }

  Shape shape_in(const std::string& name) const { return shape_of(read_array(Context(), folder_ / name).values); }

  test::TemporaryFolder folder_;
};

TEST_F(ReconNlinv, WritesImageMapsAndSets) {
  const auto result = recon({"--method", "nlinv", "-o", folder_ / "image.nii.gz", "--nlinv-sets", "2", "--nlinv-steps",
                             "3", "--save-maps", folder_ / "maps.npy", "--save-sets", folder_ / "sets.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("NLINV: 3 steps"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("Coil maps: ESPIRiT"), std::string::npos) << result.out;
  EXPECT_EQ(shape_in("maps.npy"), Shape({2, 2, 3, 1, 16, 20}));  // slices, sets, coils
  EXPECT_EQ(shape_in("sets.npy"), Shape({6, 2, 1, 16, 20}));     // frames, sets
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["method"], "nlinv");
  EXPECT_EQ(record["parameters"]["nlinv_sets"], 2);
  EXPECT_FALSE(record["parameters"].contains("lambda"));
  EXPECT_EQ(record["outputs"].size(), 3U);
  EXPECT_EQ(record["residuals"].size(), 6U);
  EXPECT_GT(record["stage_seconds"]["nlinv"], 0);
}

// The maps that a run wrote are those that another one takes: the same image.
TEST_F(ReconNlinv, SavedMapsServeLeastSquares) {
  const std::vector<std::string> least_squares{"--complex",   "--lambda", "0.001",
                                               "--frames-by", "none",     "--no-prewhitening"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), least_squares.begin(), least_squares.end());
    return recon(std::move(arguments));
  };
  Context ctx;
  Scan scan = test::make_small_scan(ctx);
  std::erase_if(scan.frames, [](const ScanFrame& frame) { return frame.index.slice != 0; });
  write_ismrmrd(ctx, scan, folder_ / "scan.h5");
  const auto first = with({"--maps", "nlinv", "-o", folder_ / "a.npy", "--save-maps", folder_ / "maps.npy"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("Coil maps: nonlinear inversion"), std::string::npos) << first.out;
  const auto second = with({"--maps-file", folder_ / "maps.npy", "-o", folder_ / "b.npy"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const auto image_in = [&](const char* name) {
    return std::get<Array<std::complex<float>>>(read_array(ctx, folder_ / name).values);
  };
  // Maps from a file are scaled to a sum of squares of 1 once more. This rounds, by 6e-8, and 30 iterations of conjugate
  // gradient on noise amplify it by the condition number of A^H A: some hundreds.
  EXPECT_LT(test::relative_error(image_in("b.npy"), image_in("a.npy")), 1e-3);
}

TEST_F(ReconNlinv, RefusesOptionsWithoutEffect) {
  const std::string output = folder_ / "image.nii.gz";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--nlinv-steps", "3"}, "--nlinv-steps applies only with nlinv, or coil maps by nlinv"},
      {{"--maps", "nlinv", "--nlinv-sets", "2"}, "--nlinv-sets applies only with nlinv"},
      {{"--maps", "nlinv", "--nlinv-damping", "0.5"}, "--nlinv-damping applies only with nlinv"},
      {{"--method", "nlinv", "--save-sets", folder_ / "s.npy"},
       "--save-sets applies only with nlinv with several sets"},
      {{"--method", "gridding", "--save-maps", folder_ / "m.npy"}, "--save-maps applies only with"},
      {{"--method", "nlinv", "--lambda", "0.1"}, "--lambda applies only with cg-sense"},
      {{"--method", "nlinv", "--maps", "walsh"}, "--maps applies only with cg-sense or combine matched"},
      {{"--method", "nlinv", "--stddev", folder_ / "s.nii"}, "--stddev applies only with"},
      {{"--method", "nlinv", "--nlinv-steps", "0"}, "--nlinv-steps"}};
  for (const auto& [arguments, part] : cases) {
    std::vector<std::string> all{"-q", "-o", output};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = recon(all);
    EXPECT_EQ(result.exit_code, 2) << part;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
  EXPECT_EQ(folder_.entries(), 1);
}

}  // namespace
}  // namespace whorl
