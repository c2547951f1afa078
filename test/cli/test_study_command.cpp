#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"

namespace whorl {
namespace {

using nlohmann::json;
using test::expect_failure;
using test::expect_success;

json row_named(const json& table, const std::string& name) {
  for (const json& row : table) {
    if (row["reconstruction"] == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(StudyCommand, QuantitativeMriInSmall) {
  const test::TemporaryFolder folder;
  const std::string text = expect_success({"study", "quantitative_mri", "--device", "cpu", "--threads", "2", "--size",
                                           "16", "--noise", "0.2", "--full", "-o", folder / "out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["size"], 16);
  EXPECT_EQ(out["parameters"]["samples"], 79 * 7);
  EXPECT_EQ(out["parameters"]["noise"], 0.2);
  const json quality = out["tables"]["quality"];
  const json times = out["tables"]["times"];
  // Bilinear and Kaiser-Bessel gridding; exact sums in double, in single, by the library; NUFFT in double, single, with
  // the prior.
  ASSERT_EQ(quality.size(), 8U);
  ASSERT_EQ(times.size(), 8U);
  for (std::size_t i = 0; i < quality.size(); ++i) {
    EXPECT_EQ(quality[i]["reconstruction"], times[i]["reconstruction"]);
    EXPECT_GT(times[i]["total s"], 0);
    for (const char* const column :
         {"SNR dB", "PSNR dB", "error %", "noisy SNR dB", "noisy PSNR dB", "noisy error %"}) {
      EXPECT_TRUE(quality[i][column].is_number()) << i << " " << column;
    }
    // The definitions of figure 7.18: percent error and SNR are one number.
    EXPECT_NEAR(quality[i]["error %"].get<double>(), 100 * std::pow(10, -quality[i]["SNR dB"].get<double>() / 20),
                1e-9);
    EXPECT_LT(quality[i]["noisy SNR dB"], quality[i]["SNR dB"]);
    EXPECT_NE(text.find(quality[i]["reconstruction"].get<std::string>()), std::string::npos);
  }
  // All exact and fast sums solve one system. An error of d in F^H F, of norm 1, changes an image by d / lambda of what
  // it is at most, lambda = 1e-4. In double d is the NUFFT's tolerance, 1e-10; in single it is that of the NUFFT, 2e-6,
  // or of some ten roundings, 1e-6: at most 2 % of the image, where the truth is missed by 7 %: 20 log10(1 + 2/7) dB.
  const double exact = row_named(quality, "least squares, CPU, double")["SNR dB"];
  EXPECT_NEAR(row_named(quality, "least squares, NUFFT, double")["SNR dB"].get<double>(), exact, 1e-3);
  for (const char* const name :
       {"least squares, CPU, single", "least squares, the library's exact sums", "least squares, NUFFT, single"}) {
    EXPECT_NEAR(row_named(quality, name)["SNR dB"].get<double>(), exact, 2.2) << name;
  }
  // The prior knows where the edges are, so that it may smooth the noise elsewhere.
  EXPECT_GT(row_named(quality, "least squares, NUFFT, single, prior")["noisy SNR dB"].get<double>(),
            row_named(quality, "least squares, NUFFT, single")["noisy SNR dB"].get<double>() + 2);
  // Least squares beats gridding, by more than 10 dB in the chapter; here by 3 dB at least at any size.
  EXPECT_GT(exact, row_named(quality, "bilinear gridding, FFT")["SNR dB"].get<double>() + 3);
  EXPECT_GT(exact, row_named(quality, "Kaiser-Bessel gridding")["SNR dB"].get<double>() + 3);
  // The published numbers are those of the chapter.
  EXPECT_EQ(row_named(quality, "bilinear gridding, FFT")["published SNR dB"], 16.8);
  EXPECT_EQ(row_named(times, "least squares, CPU, double")["published Q min"], 4009);
  EXPECT_EQ(row_named(times, "least squares, CPU, single")["published total min"], 343.9);

  for (const char* const name : {"quality.csv", "times.csv"}) {
    std::istringstream lines(test::read_file(folder / ("out/" + std::string(name))));
    int count = 0;
    for (std::string line; std::getline(lines, line);) ++count;
    EXPECT_EQ(count, 9) << name;
  }
  for (const char* const name : {"images.png", "images_noise.png"}) {
    EXPECT_EQ(test::read_file(folder / ("out/" + std::string(name))).substr(1, 3), "PNG");
  }
}

TEST(StudyCommand, SaysWhatItExtrapolates) {
  const std::string text = expect_success(
      {"study", "quantitative_mri", "--device", "cpu", "--size", "28", "--iterations", "2", "--noise", "0"});
  EXPECT_NE(text.find("extrapolated: Q from "), std::string::npos) << text;
}

TEST(StudyCommand, RefusesWhatMakesNoSense) {
  expect_failure({"study"}, 2, "");
  expect_failure({"study", "nothing"}, 2, "'nothing'");
  expect_failure({"study", "quantitative_mri", "--size", "-1"}, 2, "--size");
  expect_failure({"study", "quantitative_mri", "--noise", "-0.1"}, 2, "--noise");
  expect_failure({"study", "quantitative_mri", "--blur", "wide"}, 2, "--blur");
  expect_failure({"study", "quantitative_mri", "--iterations", "0"}, 2, "--iterations");
  expect_failure({"study", "quantitative_mri", "--size", "4"}, 1, "expected 8 or more");
  expect_failure({"study", "quantitative_mri", "--size", "8", "-o", "/nowhere/at/all"}, 1, "/nowhere/at/all");
}

}  // namespace
}  // namespace whorl
