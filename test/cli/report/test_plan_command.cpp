#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/report/recorded_scan.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

class PlanCommand : public test::RecordedScan {
 protected:
  PlanCommand() {
    test::expect_success({"traj", "radial", "--matrix", "16", "12", "--fov", "48", "--spokes", "20", "--dwell", "5",
                          "-o", folder / "t.npz", "-q"});
  }
};

// One trajectory, read from a file and designed by name; its maps, simulated and in a file.
TEST_F(PlanCommand, AFileAndADesignGiveTheSameNumbers) {
  const auto of_file = nlohmann::json::parse(test::expect_success(
      {"plan", folder / "t.npz", "--noise", "0.05", "--coils", "4", "--replicas", "4", "--json", "-"}));
  EXPECT_EQ(of_file["readouts"], 20);
  EXPECT_NEAR(of_file["pass_seconds"], 20 * 32 * 5e-6, 1e-12);
  EXPECT_EQ(of_file["least_squares"]["point_spread_unit"], "mm");
  EXPECT_EQ(of_file["least_squares"]["point_spread_widths"].size(), 2U);
  test::expect_success(
      {"phantom", "shepp-logan", "-t", folder / "t.npz", "--maps", folder / "maps.npy", "--coils", "4", "-q"});
  auto of_design = nlohmann::json::parse(
      test::expect_success({"plan", "--design", "radial --matrix 16 12 --fov 48 --spokes 20 --dwell 5", "--maps",
                            folder / "maps.npy", "--noise", "0.05", "--replicas", "4", "--json", "-"}));
  for (const char* name : {"trajectory", "reconstruction_seconds"}) of_design[name] = of_file[name];
  EXPECT_GT(of_file["reconstruction_seconds"], 0);
  EXPECT_EQ(of_design, of_file);
}

TEST_F(PlanCommand, ASweepComparesAtTheTimeOfTheLongest) {
  const std::vector<std::string> sweep{"plan",    "--design",     "radial --matrix 16 --dwell 5",
                                       "--sweep", "spokes=10,40", "readout=32,16",
                                       "--noise", "0.05",         "--coils",
                                       "2",       "--replicas",   "2"};
  std::vector<std::string> as_json = sweep;
  as_json.insert(as_json.end(), {"--json", "-", "--png", folder / "sweep.png"});
  const auto plans = nlohmann::json::parse(test::expect_success(as_json))["plans"];
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[0]["swept"]["spokes"], "10");
  EXPECT_EQ(plans[1]["swept"]["readout"], "16");
  // 10 x 32 samples and 40 x 16 samples: twice as long.
  EXPECT_NEAR(plans[0]["averages"], 2, 1e-9);
  EXPECT_NEAR(plans[1]["averages"], 1, 1e-9);
  EXPECT_TRUE(std::filesystem::exists(folder / "sweep.png"));
  const std::string table = test::expect_success(sweep);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
}

TEST_F(PlanCommand, WritesMapsThatLieWhereTheImagesWill) {
  test::expect_success({"plan", folder / "t.npz", "--noise", "0.05", "--coils", "2", "--replicas", "2", "--snr",
                        folder / "snr.nii.gz", "--gfactor", folder / "g.npy", "--psf", folder / "psf.npy", "--png",
                        folder / "maps.png"});
  const NamedArray snr = read_array(ctx, folder / "snr.nii.gz");
  EXPECT_EQ(shape_of(snr.values).size(), 16 * 12);
  EXPECT_NEAR(std::abs(snr.affine.value().matrix[0][0]), 3, 1e-6);
  EXPECT_EQ(shape_of(read_array(ctx, folder / "psf.npy").values).size(), 16 * 12);
  EXPECT_TRUE(std::filesystem::exists(folder / "maps.png"));
}

TEST_F(PlanCommand, MistakesSayWhatIsMeant) {
  const std::string file = folder / "t.npz";
  test::expect_failure({"plan", file}, 2, "--noise is required, or --noise-covariance FILE");
  test::expect_failure({"plan", "--noise", "1"}, 2, "give one of both");
  test::expect_failure({"plan", "--design", "radal --matrix 16", "--noise", "1"}, 2,
                       "did you mean radial: whorl plan --design 'radial --matrix 16' --noise 1)");
  test::expect_failure({"plan", "--design", "radial --matrix 16 --spoke 3", "--noise", "1"}, 2,
                       "did you mean --spokes");
  test::expect_failure({"plan", file, "--noise", "1", "--sweep", "spokes=1,2"}, 2, "--design");
  test::expect_failure(
      {"plan", "--design", "radial --matrix 16", "--noise", "1", "--sweep", "spokes=8,16", "readout=8"}, 2,
      "expected as many");
  test::expect_failure({"plan", "--design", "radial --matrix 16", "--noise", "1", "--sweep", "8,16"}, 2,
                       "no NAME=VALUE,VALUE");
  test::expect_failure({"plan", "--design", "radial --matrix 16", "--noise", "1", "--sweep", "spokes=8,16"}, 1,
                       "time of the scan is not known");
}

}  // namespace
}  // namespace whorl
