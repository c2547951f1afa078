#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/report/recorded_scan.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using Json = nlohmann::json;

class RoiCommand : public test::RecordedScan {
 protected:
  void write(const std::string& name, const Shape& shape, const std::vector<float>& values) const {
    Array<float> array(ctx, shape);
    std::copy(values.begin(), values.end(), array.span().begin());
    write_npy<float>(ctx, folder / name, array);
  }
  Json regions(std::vector<std::string> more) const {
    std::vector<std::string> words{"roi", folder / "i.npy", "--mask", folder / "m.npy", "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(test::expect_success(words))["regions"];
  }
};

TEST_F(RoiCommand, RegionsOfEachVolume) {
  write("i.npy", {2, 2, 3}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
  write("m.npy", {2, 3}, {1, 0, 1, 0, 7, 1});
  const Json found = regions({});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0]["region"], 1);
  EXPECT_EQ(found[0]["voxels"], 3);
  // 1, 3, 6: mean 10/3, sum of squares 46 - 100/3 = 38/3, over 2.
  EXPECT_NEAR(found[0]["mean"], 10.0 / 3, 1e-12);
  EXPECT_NEAR(found[0]["deviation"], std::sqrt(38.0 / 6), 1e-12);
  EXPECT_NEAR(found[1]["mean"], 100.0 / 3, 1e-12);
  EXPECT_EQ(found[1]["volume"], 1);
  EXPECT_EQ(found[1]["most"], 60);
  EXPECT_EQ(found[2]["region"], 7);
  EXPECT_TRUE(found[2]["deviation"].is_null());  // one voxel
  EXPECT_FALSE(found[0].contains("noise"));
}

TEST_F(RoiCommand, TheErrorOfTheMeanLiesBetweenNoAndFullCorrelation) {
  write("i.npy", {2, 2}, {1, 2, 3, 4});
  write("m.npy", {2, 2}, {1, 1, 0, 0});
  write("s.npy", {2, 2}, {3, 4, 9, 9});
  const Json found = regions({"--noise", folder / "s.npy"})[0];
  EXPECT_NEAR(found["noise"], std::sqrt(12.5), 1e-6);
  EXPECT_NEAR(found["error_of_mean_independent"], 2.5, 1e-6);
  EXPECT_NEAR(found["error_of_mean_at_most"], 3.5, 1e-6);
}

TEST_F(RoiCommand, TheRecordKnowsItsErrorBars) {
  reconstruct({"--stddev", folder / "sigma.npy", "--replicas", "2"});
  Array<float> mask = zeros<float>(ctx, {16, 20});
  mask.view<2>()(8, 9) = 1;
  write_npy<float>(ctx, folder / "mask.npy", mask);
  const auto with = [&](const char* option, const char* file) {
    return test::expect_success({"roi", folder / "sigma.npy", "--mask", folder / "mask.npy", option, folder / file});
  };
  EXPECT_EQ(with("--record", "image.nii.gz.json"), with("--noise", "sigma.npy"));
  reconstruct();
  test::expect_failure(
      {"roi", folder / "sigma.npy", "--mask", folder / "mask.npy", "--record", folder / "image.nii.gz.json"}, 1,
      "--stddev FILE");
}

TEST_F(RoiCommand, FailuresSayWhatIsWrong) {
  write("i.npy", {2, 2}, {1, 2, 3, 4});
  write("m.npy", {2, 3}, {1, 1, 0, 0, 0, 0});
  write("half.npy", {2, 2}, {0.5, 0, 0, 0});
  write("none.npy", {2, 2}, {0, 0, 0, 0});
  const std::string image = folder / "i.npy";
  test::expect_failure({"roi", image, "--mask", folder / "m.npy"}, 1, "expected that of the image [2, 2]");
  test::expect_failure({"roi", image, "--mask", folder / "half.npy"}, 1, "expected whole numbers");
  test::expect_failure({"roi", image, "--mask", folder / "none.npy"}, 1, "is 0 everywhere");
  test::expect_failure({"roi", image, "--mask", image, "--noise", folder / "m.npy"}, 1, "[2, 3]");
}

}  // namespace
}  // namespace whorl
