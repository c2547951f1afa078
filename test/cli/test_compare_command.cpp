#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/read_picture.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/measure/ssim.hpp"

namespace whorl {
namespace {

using nlohmann::json;
using test::expect_failure;
using test::expect_success;

class CompareCommand : public testing::Test {
 protected:
  template <class T>
  std::string write(const std::string& name, const Array<T>& array) const {
    write_npy<T>(ctx, folder / name, array);
    return folder / name;
  }

  // The image is the truth plus 0.5 i in every fourth pixel.
  void SetUp() override {
    for (Index i = 0; i < truth.size(); ++i) {
      truth.data()[i] = static_cast<float>(1 + i % 7);
      image.data()[i] = {truth.data()[i].real(), i % 4 == 0 ? 0.5F : 0.0F};
    }
    truth_file = write("truth.npy", truth);
    image_file = write("image.npy", image);
  }

  const Context ctx;
  const test::TemporaryFolder folder;
  Array<std::complex<float>> truth{ctx, {12, 16}};
  Array<std::complex<float>> image{ctx, {1, 12, 16}};
  std::string truth_file;
  std::string image_file;
};

TEST_F(CompareCommand, SaysThatAScaleIsMissing) {
  for (Index i = 0; i < image.size(); ++i) image.data()[i] *= 3.0F;
  image_file = write("tripled.npy", image);
  const std::string text = expect_success({"compare", image_file, truth_file});
  EXPECT_NE(text.find("--scale"), std::string::npos) << text;
  EXPECT_EQ(expect_success({"compare", image_file, truth_file, "--scale"}).find("takes the error"), std::string::npos);
}

TEST_F(CompareCommand, PrintsAMeasureALineWithItsUnit) {
  const std::string text = expect_success({"compare", image_file, truth_file});
  // 48 of 192 pixels differ by 0.5: mse 0.0625; peak 7: 10 log10(49 / 0.0625) = 28.943 dB.
  EXPECT_NE(text.find("\nmse           0.0625 ("), std::string::npos) << text;
  EXPECT_NE(text.find("\npsnr          28.9432 dB (peak 7)\n"), std::string::npos) << text;
  for (const std::string name : {"image ", "truth ", "snr ", "percent error ", "nrmse ", "ssim "}) {
    EXPECT_NE(("\n" + text).find("\n" + name), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("--scale"), std::string::npos) << text;  // in the truth's unit
  EXPECT_EQ(expect_success({"compare", image_file, truth_file, "-q"}), "");
}

TEST_F(CompareCommand, JsonForPrograms) {
  const json out = json::parse(expect_success({"compare", image_file, truth_file, "--json", "-"}));
  expect_success({"compare", image_file, truth_file, "--json", folder / "out.json", "-q"});
  EXPECT_EQ(json::parse(test::read_file(folder / "out.json")), out);
  double energy = 0;
  for (const auto& value : truth.span()) energy += std::norm(value);
  EXPECT_DOUBLE_EQ(out["mse"], 0.0625);
  EXPECT_DOUBLE_EQ(out["psnr_db"], 10 * std::log10(49 / 0.0625));
  EXPECT_DOUBLE_EQ(out["snr_db"], 10 * std::log10(energy / 12));
  EXPECT_DOUBLE_EQ(out["percent_error"], 100 * std::sqrt(12 / energy));
  EXPECT_LT(out["nrmse"], out["percent_error"].get<double>() / 100);
  EXPECT_NEAR(out["ssim"],
              ssim<std::complex<float>>(ctx, image.ref().reshape({12, 16}), truth, all_pixels(), {.range = 7.0}), 1e-9);
  EXPECT_EQ(out["pixels"], 192);
  EXPECT_EQ(out["shape"], (std::vector<int>{12, 16}));
}

TEST_F(CompareCommand, EqualImagesAreInfinitelyGood) {
  const json out = json::parse(expect_success({"compare", truth_file, truth_file, "--json", "-"}));
  EXPECT_TRUE(out["psnr_db"].is_null());
  EXPECT_TRUE(out["snr_db"].is_null());
  EXPECT_EQ(out["mse"], 0);
  EXPECT_EQ(out["nrmse"], 0);
  EXPECT_DOUBLE_EQ(out["ssim"], 1);
  const std::string text = expect_success({"compare", truth_file, truth_file});
  EXPECT_NE(text.find("psnr          inf dB"), std::string::npos) << text;
}

TEST_F(CompareCommand, MagnitudeMaskAndPeak) {
  const auto measured = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"compare", image_file, truth_file, "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(expect_success(words));
  };
  EXPECT_LT(measured({"--magnitude"})["mse"], 0.01);
  EXPECT_DOUBLE_EQ(measured({"--peak", "70"})["psnr_db"], 10 * std::log10(4900 / 0.0625));
  const json scaled = measured({"--scale"});
  EXPECT_NEAR(scaled["percent_error"].get<double>(), 100 * scaled["nrmse"].get<double>(), 1e-9);
  const json scaled_magnitude = measured({"--scale", "--magnitude"});
  EXPECT_NEAR(scaled_magnitude["percent_error"].get<double>(), 100 * scaled_magnitude["nrmse"].get<double>(), 1e-9);
  auto mask = zeros<float>(ctx, {1, 16});
  mask.span()[4] = mask.span()[6] = 2;
  const json masked = measured({"--mask", write("mask.npy", mask)});
  EXPECT_EQ(masked["pixels"], 24);
  EXPECT_DOUBLE_EQ(masked["mse"], 0.125);  // every second of the pixels that count has the error of 0.5
}

TEST_F(CompareCommand, RealAndComplexAndWindowsInThreeDimensions) {
  Array<double> real(ctx, {12, 16});
  for (Index i = 0; i < real.size(); ++i) real.data()[i] = truth.data()[i].real();
  const std::string text = expect_success({"compare", image_file, write("real.npy", real)});
  EXPECT_NE(text.find("0.0625"), std::string::npos) << text;
  EXPECT_NE(text.find("The truth is real and the image complex"), std::string::npos) << text;
  EXPECT_NE(expect_success({"compare", folder / "real.npy", folder / "real.npy"}).find("mse           0 "),
            std::string::npos);
  const std::string flat = expect_success({"compare", image_file, truth_file, "--ssim-3d"});
  EXPECT_NE(flat.find("ssim          none: "), std::string::npos) << flat;
}

// Real images keep their signs in ssim, complex ones of the same numbers do not.
TEST_F(CompareCommand, SsimOfNegativeValues) {
  Array<double> real(ctx, {12, 16});
  Array<double> negative(ctx, {12, 16});
  Array<std::complex<double>> same(ctx, {12, 16});
  for (Index i = 0; i < real.size(); ++i) {
    real.data()[i] = static_cast<double>(i % 3 - 1);
    negative.data()[i] = -real.data()[i];
    same.data()[i] = negative.data()[i];
  }
  const std::string file = write("signs.npy", real);
  const auto ssim_of = [&](const std::string& found, const std::string& option) {
    std::vector<std::string> words{"compare", found, file, "--json", "-"};
    if (!option.empty()) words.push_back(option);
    return json::parse(expect_success(words))["ssim"].get<double>();
  };
  EXPECT_LT(ssim_of(write("negative.npy", negative), ""), -0.9);
  EXPECT_DOUBLE_EQ(ssim_of(folder / "negative.npy", "--magnitude"), 1);
  EXPECT_DOUBLE_EQ(ssim_of(write("same.npy", same), ""), 1);
  EXPECT_EQ(expect_success({"compare", folder / "negative.npy", file}).find("of the magnitudes"), std::string::npos);
  EXPECT_NE(expect_success({"compare", folder / "same.npy", file}).find("; of the magnitudes)"), std::string::npos);
}

TEST_F(CompareCommand, TheMapShowsWhereTheErrorIs) {
  // Real images: |a - b| above, a - b below; 12 x 16 pixels are enlarged to 384 x 512 each, 8 pixels of black between.
  auto wrong = zeros<float>(ctx, {12, 16});
  auto right = zeros<float>(ctx, {12, 16});
  for (float& value : right.span()) value = 3;
  copy<float>(right, wrong);
  for (Index y = 0; y < 12; ++y) wrong.data()[y * 16 + 2] = 1;  // columns, so that the 99.5th percentile is 2
  for (Index y = 0; y < 12; ++y) wrong.data()[y * 16 + 10] = 5;
  const std::string map = folder / "map.png";
  expect_success({"compare", write("wrong.npy", wrong), write("right.npy", right), "--map", map, "-q"});
  const Picture colors = test::read_picture(map);
  ASSERT_EQ(colors.height, 2 * 384 + 8);
  ASSERT_GT(colors.width, 512);
  const auto middle = [](Index pixel) { return 32 * pixel + 16; };
  EXPECT_EQ(colors.at(middle(5), middle(2)), color_of(Colormap::hot, 1));
  EXPECT_EQ(colors.at(middle(5), middle(10)), color_of(Colormap::hot, 1));
  EXPECT_EQ(colors.at(middle(5), middle(7)), color_of(Colormap::hot, 0));
  EXPECT_EQ(colors.at(392 + middle(5), middle(2)), color_of(Colormap::blue_red, 0));
  EXPECT_EQ(colors.at(392 + middle(5), middle(10)), color_of(Colormap::blue_red, 1));
  EXPECT_EQ(colors.at(392 + middle(5), middle(7)), color_of(Colormap::blue_red, 0.5));
  // Complex ones have no sign; equal ones are black; a scale of 3/5 makes these equal.
  expect_success({"compare", image_file, truth_file, "--map", map, "-q"});
  EXPECT_EQ(test::read_picture(map).height, 384);
  for (float& value : wrong.span()) value = 5;
  expect_success({"compare", write("scaled.npy", wrong), folder / "right.npy", "--scale", "--map", map, "-q"});
  const Picture black = test::read_picture(map);
  for (Index x = 0; x < 512; ++x) ASSERT_EQ(black.at(100, x), (Color{0, 0, 0}));
  expect_failure({"compare", image_file, truth_file, "--map", "map.jpg"}, 2, ".png");
  const std::string line = write("line.npy", zeros<float>(ctx, {4}));
  const std::string ones = write("ones.npy", [&] {
    auto array = zeros<float>(ctx, {4});
    for (float& value : array.span()) value = 1;
    return array;
  }());
  expect_failure({"compare", line, ones, "--map", map}, 1, "error map");
}

TEST_F(CompareCommand, FailuresSayWhatIsWrong) {
  const std::string small = write("small.npy", zeros<float>(ctx, {3, 12, 16}));
  expect_failure({"compare", small, truth_file}, 1, "[3, 12, 16]");
  expect_failure({"compare", truth_file, small}, 1, "[12, 16]");
  expect_failure({"compare", folder / "none.npy", truth_file}, 1, "none.npy");
  expect_failure({"compare", image_file, truth_file, "--mask", image_file}, 1, "image.npy");
  expect_failure({"compare", image_file, truth_file, "--mask", small}, 1, "mask");
  expect_failure({"compare", image_file, write("zero.npy", zeros<float>(ctx, {12, 16}))}, 1, "truth is 0");
  expect_failure({"compare", image_file, truth_file, "--json", image_file}, 2, "is an input");
  expect_failure({"compare", image_file}, 2, "truth is required");
  expect_failure({"compare", image_file, truth_file, "--peak", "0"}, 2, "--peak");
}

}  // namespace
}  // namespace whorl
