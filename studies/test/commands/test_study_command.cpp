#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
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
  // Bilinear and Kaiser-Bessel gridding; exact sums by scalar loops and by vectors, in double, in single, by the library; NUFFT in double, single, with
  // the prior.
  ASSERT_EQ(quality.size(), 10U);
  ASSERT_EQ(times.size(), 10U);
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
  // it is at most, lambda = 1e-4. In double d is the NUFFT's tolerance, 1e-12; in single it is that of the NUFFT, 2e-6,
  // or of some ten roundings, 1e-6: at most 2 % of the image, where the truth is missed by 7 %: 20 log10(1 + 2/7) dB.
  const double exact = row_named(quality, "least squares, CPU, double")["SNR dB"];
  EXPECT_NEAR(row_named(quality, "least squares, NUFFT, double")["SNR dB"].get<double>(), exact, 1e-3);
  for (const char* const name : {"least squares, CPU, single", "least squares, CPU, single, scalar loop",
                                 "least squares, the library's exact sums", "least squares, NUFFT, single"}) {
    EXPECT_NEAR(row_named(quality, name)["SNR dB"].get<double>(), exact, 2.2) << name;
  }
  // The prior knows where the edges are, so that it may smooth the noise elsewhere.
  EXPECT_GT(row_named(quality, "least squares, NUFFT, single, prior")["noisy SNR dB"].get<double>(),
            row_named(quality, "least squares, NUFFT, single")["noisy SNR dB"].get<double>() + 2);
  // A window that is small beyond the field of view beats the triangle, whose copies and shading are some 10 %.
  EXPECT_GT(row_named(quality, "Kaiser-Bessel gridding")["SNR dB"].get<double>(),
            row_named(quality, "bilinear gridding, FFT")["SNR dB"].get<double>() + 2);
  // The published numbers are those of the chapter.
  EXPECT_EQ(row_named(quality, "bilinear gridding, FFT")["published PSNR dB"], 16.8);
  EXPECT_EQ(row_named(quality, "bilinear gridding, FFT")["published error %"], 41.7);
  EXPECT_EQ(row_named(quality, "least squares, CPU, double")["published PSNR dB"], 27.6);
  EXPECT_EQ(row_named(quality, "least squares, CPU, double")["published error %"], 12.1);
  // Both measures divide by one error: 20 log10(41.7 / 12.1) = 27.6 - 16.8 to the digits that they have. So the decibels
  // are not an SNR, which would be 7.6 and 18.3.
  EXPECT_NEAR(20 * std::log10(41.7 / 12.1), 27.6 - 16.8, 0.1);
  EXPECT_EQ(row_named(times, "least squares, CPU, double")["published Q min"], 4009);
  EXPECT_EQ(row_named(times, "least squares, CPU, single")["published total min"], 343.91);
  // Figure 7.20: 8.2 times for the first kernel; the baseline is 1.
  const json speedups = out["tables"]["speedups"];
  ASSERT_EQ(speedups.size(), 10U);
  EXPECT_EQ(row_named(speedups, "least squares, CPU, single")["Q x"], 1);
  EXPECT_EQ(row_named(speedups, "least squares, CPU, single")["published total x"], 1);
  EXPECT_NEAR(row_named(speedups, "least squares, CPU, double")["published Q x"].get<double>(), 2678.7 / 4009, 1e-12);
  // The sweep has 5 x 5 points, and the study shows the one that comes nearest to the chapter beside its own.
  EXPECT_EQ(out["tables"]["sweep"].size(), 25U);
  ASSERT_EQ(out["tables"]["found"].size(), 3U);
  EXPECT_NEAR(-20 * std::log10(out["tables"]["found"][0]["least squares error %"].get<double>() / 100), exact, 1e-3);
  double least = 1e9;
  for (const json& row : out["tables"]["sweep"])
    least = std::min(least, row["distance from published dB"].get<double>());
  const json found = out["tables"]["found"][1];
  const json published = out["tables"]["found"][2];
  double square = 0;
  for (const char* const method : {"bilinear gridding", "least squares"}) {
    const std::string error = std::string(method) + " error %";
    const std::string psnr = std::string(method) + " PSNR dB";
    square += std::pow(20 * std::log10(found[error].get<double>() / published[error].get<double>()), 2) +
              std::pow(found[psnr].get<double>() - published[psnr].get<double>(), 2);
  }
  EXPECT_NEAR(std::sqrt(square), least, 1e-9);

  for (const char* const name : {"quality.csv", "times.csv"}) {
    std::istringstream lines(test::read_file(folder / ("out/" + std::string(name))));
    int count = 0;
    for (std::string line; std::getline(lines, line);) ++count;
    EXPECT_EQ(count, 11) << name;
  }
  for (const char* const name : {"images.png", "images_noise.png"}) {
    EXPECT_EQ(test::read_file(folder / ("out/" + std::string(name))).substr(1, 3), "PNG");
  }
}

TEST(StudyCommand, AStudyWithoutStepsSaysSo) {
  expect_failure({"study", "fmri", "--step", "1"}, 1, "fmri has no steps; leave it out");
}

TEST(StudyCommand, Gridding2dInSmall) {
  const test::TemporaryFolder folder;
  expect_success({"study", "gridding_2d", "--device", "cpu", "--threads", "1", "--size", "64", "--samples", "200",
                  "--more-samples", "400", "-o", folder / "out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["size"], 64);
  EXPECT_EQ(out["parameters"]["samples"], 200);
  const json ladder = out["tables"]["ladder"];
  ASSERT_EQ(ladder.size(), 8U);
  EXPECT_EQ(ladder.back()["step"], "gridding (the library)");
  for (const json& row : ladder) {
    EXPECT_GT(row["ms"], 0);
    EXPECT_LT(row["error, own window"], 1e-5) << row;  // test_gridding_2d: 30 eps and 4e-6
  }
  ASSERT_EQ(out["tables"]["ways"].size(), 4U);
  ASSERT_EQ(out["tables"]["accesses"].size(), 3U);
  ASSERT_EQ(out["tables"]["listing"].size(), 4U);
  for (const json& row : out["tables"]["images"]) EXPECT_GT(row["x FFT"], 0) << row;
  ASSERT_EQ(out["tables"]["window"].size(), 4U);
  ASSERT_EQ(out["tables"]["one_thread"].size(), 5U);
  ASSERT_EQ(out["tables"]["scans"].size(), 8U);
  EXPECT_TRUE(out["tables"]["scans"][0].contains("uniform, 400 samples"));
  ASSERT_EQ(out["tables"]["volume"].size(), 6U);
  ASSERT_EQ(out["tables"]["alone"].size(), 5U);
  ASSERT_EQ(out["tables"]["sizes"].size(), 6U);
  for (const char* const table : {"alone", "sizes"}) {
    for (const json& row : out["tables"][table]) EXPECT_LT(row["error, own window"], 1e-5) << row;
  }
  const json images = out["tables"]["images"];
  ASSERT_EQ(images.size(), 30U);
  for (const json& row : images) {
    // A transform is as exact as it promises, for data whose energy is spread over the field of view.
    if (row["window"] == "NUFFT, tolerance 1e-04 (the library)") {
      EXPECT_LT(row["error"], 1e-4) << row;
    }
    // The paper's listing has a Gaussian that a window of 8 cells cuts at 0.6 of its peak.
    if (row["window"] == "Gaussian of the listing, table of distances") {
      EXPECT_GT(row["error"], 0.1) << row;
    }
  }
  EXPECT_EQ(test::read_file(folder / "out/ladder.png").substr(1, 3), "PNG");
  expect_failure({"study", "gridding_2d", "--size", "100"}, 1, "expected a multiple of 32");
  expect_failure({"study", "gridding_2d", "--size", "64", "--window", "9"}, 1, "expected 8 or 16");
  expect_failure({"study", "gridding_2d", "--size", "64", "--window", "16", "--sector", "10"}, 1,
                 "expected 16 or more");
  expect_failure({"study", "gridding_2d", "--size", "64", "--sector", "31"}, 1, "sectors of 31 leave 2 of 64");
}

TEST(StudyCommand, OneStepWithItsSource) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> small{"study", "mri_q", "--device", "cpu", "--size", "8", "--samples", "64", "--step"};
  const auto with = [&](const std::string& step) {
    std::vector<std::string> words = small;
    words.insert(words.end(), {step, "-o", folder / "out"});
    return words;
  };
  const std::string text = expect_success(with("2"));
  EXPECT_EQ(text.rfind("Step 2 of 8: single precision\n", 0), 0U) << text;
  EXPECT_NE(text.find("+    float cosines = 0;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nPrediction: "), std::string::npos) << text;
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  ASSERT_EQ(out["tables"].size(), 1U);
  ASSERT_EQ(out["tables"]["ladder"].size(), 1U);
  EXPECT_EQ(out["tables"]["ladder"][0]["step"], "single precision");
  expect_failure(with("9"), 1, "expected 1 to 8 on cpu");
}

TEST(StudyCommand, OneStepOfSeveralLadders) {
  // The tenth step of all is the last of the second ladder, the first of the next has nothing before it.
  const std::vector<std::string> heat{"study", "heat", "--device", "cpu", "--size", "16", "--steps", "4", "--step"};
  const auto with = [&](const std::string& step) {
    std::vector<std::string> words = heat;
    words.push_back(step);
    return words;
  };
  std::string text = expect_success(with("10"));
  EXPECT_EQ(text.rfind("Step 10 of 13: implicit_plane: one axis first, threads\n", 0), 0U) << text;
  EXPECT_NE(text.find("\n+void one_axis_first("), std::string::npos) << text;
  EXPECT_NE(text.find("1 implicit steps of 16 x 16 points"), std::string::npos) << text;
  text = expect_success(with("11"));
  EXPECT_EQ(text.rfind("Step 11 of 13: implicit_line: elimination each time\n", 0), 0U) << text;
  EXPECT_EQ(text.find("\n+"), std::string::npos) << text;
  expect_failure(with("14"), 1, "expected 1 to 13 on cpu");
  // Times and quality of one reconstruction.
  text = expect_success(
      {"study", "quantitative_mri", "--device", "cpu", "--size", "8", "--iterations", "2", "--step", "2"});
  EXPECT_EQ(text.rfind("Step 2 of 10: Kaiser-Bessel gridding\n", 0), 0U) << text;
  EXPECT_NE(text.find("+Row kaiser_bessel_row("), std::string::npos) << text;
  EXPECT_EQ(text.find("bilinear gridding"), std::string::npos) << text;
}

TEST(StudyCommand, FhdInSmall) {
  const test::TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder / "caches").c_str(), 1);
  const std::vector<std::string> command{"study",  "fhd", "--device",  "cpu", "--threads", "1",
                                         "--size", "9",   "--samples", "300", "-o",        folder / "out"};
  const std::string text = expect_success(command);
  // Two loops and two kernels of vectors beside the ladder's.
  EXPECT_NE(text.find("Sizes of 5 kernels: 5 searched"), std::string::npos) << text;
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["size"], 9);
  EXPECT_EQ(out["parameters"]["samples"], 300);  // 75 spokes of 4
  EXPECT_EQ(out["tables"]["fhd_cpu"].size(), 4U);
  EXPECT_EQ(out["tables"]["searches"].size(), 3U);
  ASSERT_EQ(out["tables"]["kernels"].size(), 5U);
  // One thread: a loop has one size, all kernels of vectors have the same twelve.
  for (const json& row : out["tables"]["kernels"]) {
    const bool loop = row["kernel"].get<std::string>().ends_with("scalar loop");
    EXPECT_EQ(row["tried"], loop ? 1 : 12) << row;
    EXPECT_EQ(row["chunk"].is_null(), loop) << row;
    EXPECT_GE(row["x slowest"], 1) << row;
  }
  EXPECT_EQ(out["tables"]["multi"].size(), 2U);
  const json steps = out["tables"]["fhd"];
  ASSERT_EQ(steps.size(), 12U);
  EXPECT_EQ(steps[0]["step"], "scatter, double");
  EXPECT_EQ(steps[11]["step"], "exact transform (the library)");
  for (const json& step : steps) {
    EXPECT_GT(step["ms"], 0) << step["step"];
    // SNR and relative error are one number; an error that is none has no SNR that JSON could hold.
    const double error = step["relative l2 error"];
    EXPECT_NEAR(step["SNR dB"].get<double>(), -20 * std::log10(error), 1e-6) << step["step"];
    // In single precision some ten roundings of angles up to 2 pi 7/32 sqrt(3) 4.5 = 11, and of 300 terms: 1e-5.
    EXPECT_LT(error, 1e-5) << step["step"];
  }
  // Double precision comes first, single after it.
  EXPECT_LT(steps[2]["relative l2 error"], 1e-13);
  EXPECT_GT(steps[3]["relative l2 error"], 1e-8);
  EXPECT_EQ(test::read_file(folder / "out/fhd.png").substr(1, 3), "PNG");
  // The next run knows the sizes.
  const std::string second = expect_success(command);
  EXPECT_NE(second.find("--retune searches again"), std::string::npos);
  EXPECT_EQ(second.find("xtrapolated"), std::string::npos) << second;
}

TEST(StudyCommand, ImageFiltersInSmall) {
  const test::TemporaryFolder folder;
  const std::string text = expect_success({"study", "image_filters", "--device", "cpu", "--threads", "2", "--size",
                                           "64", "--filter", "canny_hysteresis", "-o", folder / "out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["size"], 64);
  EXPECT_EQ(out["parameters"]["small_width"], 64);
  const json steps = out["tables"]["canny_hysteresis"];
  ASSERT_EQ(steps.size(), 5U);
  EXPECT_EQ(steps[3]["step"], "connected components");
  EXPECT_EQ(steps[3]["pixels that differ"], 0);
  for (const json& step : steps) {
    EXPECT_GT(step["ms"], 0);
    EXPECT_GT(step["small ms"], 0);
  }
  ASSERT_EQ(out["tables"]["summary"].size(), 1U);
  EXPECT_EQ(out["tables"]["summary"][0]["best"], steps[3]["ms"]);
  EXPECT_NE(text.find("one pass, branches: another result"), std::string::npos) << text;
  EXPECT_EQ(test::read_file(folder / "out/canny_hysteresis.png").substr(1, 3), "PNG");
}

TEST(StudyCommand, RefusesWhatMakesNoSense) {
  expect_failure({"study"}, 2, "");
  expect_failure({"study", "nothing"}, 2, "'nothing'");
  expect_failure({"study", "quantitative_mri", "--size", "-1"}, 2, "--size");
  expect_failure({"study", "quantitative_mri", "--noise", "-0.1"}, 2, "--noise");
  expect_failure({"study", "quantitative_mri", "--blur", "wide"}, 2, "--blur");
  expect_failure({"study", "quantitative_mri", "--iterations", "0"}, 2, "--iterations");
  expect_failure({"study", "image_filters", "--size", "31"}, 1, "expected 32 or more");
  expect_failure({"study", "image_filters", "--filter", "blur"}, 1, "expected one of gaussian");
  expect_failure({"study", "quantitative_mri", "--size", "4"}, 1, "expected 8 or more");
  expect_failure({"study", "fhd", "--size", "7"}, 1, "expected 8 or more");
  expect_failure({"study", "fhd", "--samples", "-1"}, 2, "--samples");
  expect_failure({"study", "quantitative_mri", "--size", "8", "-o", "/nowhere/at/all"}, 1, "/nowhere/at/all");
}

TEST(StudyCommand, LeavesNoFolderWhereItCanNotWrite) {
  const test::TemporaryFolder folder;
  const auto result = test::run_process(
      {WHORL_PROGRAM, "study", "sha1_search", "--device", "cpu", "--length", "1", "-o", folder / "out"},
      {.file_bytes = 50});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(folder.entries(), 0);
}

TEST(StudyCommand, MriQInSmall) {
  const test::TemporaryFolder folder;
  const std::string text = expect_success({"study", "mri_q", "--device", "cpu", "--threads", "1", "--size", "17",
                                           "--samples", "40", "-o", folder / "out", "--output", folder / "Q.out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["samples"], 40);
  EXPECT_EQ(out["parameters"]["voxels"], 17 * 17 * 17);
  const json ladder = out["tables"]["ladder"];
  ASSERT_EQ(ladder.size(), 11U);
  for (const json& row : ladder) {
    EXPECT_GT(row["ms"], 0) << row;
    // |k.r| is at most 13 turns of 2 pi, rounded by 7 eps/2 of it (studies/test/unit/test_mri_q.cpp).
    EXPECT_LT(row["relative l2 error"], 4e-5) << row;
    EXPECT_NE(text.find(row["step"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(ladder.back()["step"], "Dft on the grid (the library)");
  EXPECT_EQ(out["tables"]["tuning"].size(), 5U);
  const json sizes = out["tables"]["sizes"];
  ASSERT_EQ(sizes.size(), ladder.size());
  EXPECT_EQ(sizes[0]["17^3 ms"], ladder[0]["ms"]);
  EXPECT_GT(sizes[0]["16^3 ms"], 0);
  // Parboil's split: a CPU copies nothing.
  const json parboil = out["tables"]["parboil"];
  ASSERT_EQ(parboil.size(), 2U);
  EXPECT_EQ(parboil[1]["size"], "17^3");
  for (const json& row : parboil) {
    EXPECT_TRUE(row["copy"].is_null());
    for (const char* const part : {"input", "kernel", "output"}) EXPECT_GT(row[part], 0) << part;
    EXPECT_NEAR(row["all"].get<double>(),
                row["input"].get<double>() + row["kernel"].get<double>() + row["output"].get<double>(), 1e-9);
  }
  EXPECT_EQ(test::read_file(folder / "out/ladder.png").substr(1, 3), "PNG");
  // A count and two numbers for each voxel.
  EXPECT_EQ(test::read_file(folder / "Q.out").size(), 4U + 8 * 17 * 17 * 17);
}

// Parboil's input, and its output as the reference: compare-output's rule, written down once more.
TEST(StudyCommand, MriQOfParboilsFileIsAcceptedByItsTolerance) {
  const char* const data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: Parboil's files are not there";
  const test::TemporaryFolder folder;
  const std::string parboil = std::string(data) + "/parboil/32_32_32_dataset";
  expect_success({"study", "mri_q", "--device", "cpu", "--threads", "2", "--input", parboil + ".bin", "--output",
                  folder / "Q.bin", "--reference", parboil + ".out", "-o", folder / "out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["tables"]["acceptance"][0]["accepted"], "yes");
  EXPECT_EQ(out["tables"]["acceptance"][0]["outside"], 0);

  constexpr std::size_t voxels = 32768;
  const std::string written = test::read_file(folder / "Q.bin");
  const std::string reference = test::read_file(parboil + ".out");
  ASSERT_EQ(written.size(), 4 + 8 * voxels);
  ASSERT_EQ(reference.size(), written.size());
  EXPECT_EQ(written.substr(0, 4), reference.substr(0, 4));
  std::vector<float> q(2 * voxels);
  std::vector<float> expected(2 * voxels);
  std::memcpy(q.data(), written.data() + 4, 8 * voxels);
  std::memcpy(expected.data(), reference.data() + 4, 8 * voxels);
  double largest = 0;
  for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
  int outside = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double difference = std::abs(double{q[i]} - expected[i]);
    if (!(difference <= 1e-4 * largest || difference < 0.002 * std::abs(double{expected[i]}))) ++outside;
  }
  EXPECT_EQ(outside, 0);
}

TEST(StudyCommand, MriQRefusesWhatMakesNoSense) {
  const test::TemporaryFolder folder;
  expect_failure({"study", "mri_q", "--size", "257"}, 2, "--size");
  expect_failure({"study", "mri_q", "--samples", "-1"}, 2, "--samples");
  expect_failure({"study", "mri_q", "--size", "8", "--input", "any.bin"}, 2,
                 "--size applies only with an input made up (no --input)");
  expect_failure({"study", "mri_q", "--input", folder / "missing.bin"}, 1, "missing.bin");
  expect_failure({"study", "mri_q", "--size", "4", "--output", "/nowhere/at/all"}, 1, "/nowhere/at/all");
  expect_success({"study", "mri_q", "--device", "cpu", "--size", "3", "--samples", "5", "--output", folder / "Q.out"});
  expect_failure({"study", "mri_q", "--input", folder / "Q.out"}, 1, "phi");
  expect_failure({"study", "mri_q", "--device", "cpu", "--size", "4", "--reference", folder / "Q.out"}, 1,
                 "27 voxels, expected 64");
}

}  // namespace
}  // namespace whorl
