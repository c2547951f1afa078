#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

using test::run_process;

class InfoCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  }
  test::TemporaryFolder folder_;
};

TEST_F(InfoCommand, TellsPeopleWhatIsInTheScan) {
  const auto result = run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const std::string expected :
       {"2D radial, matrix 20 x 16, field of view 200 x 160 x 4 mm", "Maker Model", "cycles/pixel",
        "largest |k| 0.4 (x), 0.3804 (y) cycles per pixel",  // 0.4 sin(2 pi / 5)
        "coils         3\n", "40 samples a coil, every 5 us",
        "6 (slices 2, contrasts 1, phases 1, repetitions 3, sets 1)", "60 a frame and coil, in 5 readouts\n",
        "sample time   5 us", "9.4 KiB in memory", "recon needs"}) {
    EXPECT_NE(result.out.find(expected), std::string::npos) << expected << " in:\n" << result.out;
  }
}

TEST_F(InfoCommand, TellsProgramsTheSame) {
  const auto result = run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--json", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["dimensions"], 2);
  EXPECT_EQ(json["matrix"], (nlohmann::json{20, 16, 1}));
  EXPECT_EQ(json["coils"], 3);
  EXPECT_EQ(json["frames"]["count"], 6);
  EXPECT_EQ(json["frames"]["repetitions"], 3);
  EXPECT_EQ(json["samples_per_frame"], (nlohmann::json{{"least", 60}, {"most", 60}}));
  EXPECT_EQ(json["noise"]["samples_per_coil"], 40);
  EXPECT_GT(json["reconstruction_bytes"]["cg-sense"], json["data_bytes"]);
  EXPECT_EQ(json["trajectory"]["kind"], "radial");
  EXPECT_NEAR(json["trajectory"]["largest_k_cycles_per_pixel"][0].get<double>(), 0.4, 1e-7);  // float in the file
  EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(folder_ / "scan.h5"));
}

TEST_F(InfoCommand, OneArrayOfSeveral) {
  const Context ctx;
  std::vector<NamedArray> arrays;
  arrays.push_back({"b0", zeros<float>(ctx, {3, 5})});
  arrays.push_back({"b1", zeros<std::complex<float>>(ctx, {2, 7})});
  write_arrays(ctx, folder_ / "maps.npz", arrays);
  const std::string file = folder_ / "maps.npz";
  const auto result = run_process({WHORL_PROGRAM, "info", file + ":b1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("b1 complex64 [2, 7]"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("b0"), std::string::npos) << result.out;
  const auto missing = run_process({WHORL_PROGRAM, "info", file + ":b2"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("no array b2 in it; it has b0, b1"), std::string::npos) << missing.err;
}

TEST_F(InfoCommand, AFullDiskIsExitCode1) {
  const auto result =
      run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--quiet"}, {.standard_output = "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard output: No space left"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace whorl
