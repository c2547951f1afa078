#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

TEST(MapCommand, WritesTheMapItsErrorAndARecord) {
  const Context ctx;
  const test::TemporaryFolder folder;
  Array<std::complex<float>> series(ctx, {4, 6, 5});
  for (Index i = 0; i < series.size(); ++i) {
    const double t = std::vector<double>{10, 20, 40, 80}[static_cast<std::size_t>(i / 30)];
    const double t2 = 30 + static_cast<double>(i % 30);
    series.data()[i] = std::polar(static_cast<float>(5 * std::exp(-t / t2)), 0.3F);
  }
  write_array(ctx, folder / "echoes.npy", {"echoes", std::move(series)});
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {WHORL_PROGRAM, "map"});
    return test::run_process(words);
  };
  const std::string echoes = folder / "echoes.npy";
  const auto result = run({"t2", echoes, "--times", "10,20,40,80", "-o", folder / "t2.npy", "--error",
                           folder / "error.npy", "--noise", "0.1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("T2 in ms: fitted in 30 voxels."), std::string::npos) << result.out;
  const auto t2 = converted<float>(ctx, read_array(ctx, folder / "t2.npy").values, "t2");
  ASSERT_EQ(t2.shape(), (Shape{6, 5}));
  // Series in float: 1e-7 times the condition of the fit
  for (Index r = 0; r < 30; ++r) EXPECT_NEAR(t2.data()[r], 30 + static_cast<float>(r), 1e-3);
  const auto error = converted<float>(ctx, read_array(ctx, folder / "error.npy").values, "error");
  EXPECT_TRUE(std::all_of(error.span().begin(), error.span().end(), [](float e) { return e > 0.1F && e < 30; }));
  const auto record = nlohmann::json::parse(test::read_file(folder / "t2.npy.json"));
  EXPECT_EQ(record["parameters"]["map"], "t2");
  EXPECT_EQ(record["parameters"]["noise"], 0.1);
  EXPECT_EQ(record["outputs"].size(), 2U);

  // BIDS' sidecar beside NIfTI says the times in s.
  write_array(ctx, folder / "echoes.nii", read_array(ctx, echoes));
  test::write_file(folder / "echoes.json", R"({"EchoTime": [0.01, 0.02, 0.04, 0.08]})");
  const auto stated = run({"t2", folder / "echoes.nii", "-o", folder / "sidecar.npy", "--noise", "0.1"});
  EXPECT_NE(stated.out.find("Echo times 10, 20, 40, 80 ms by the files."), std::string::npos) << stated.err;
  EXPECT_EQ(test::read_file(folder / "sidecar.npy"), test::read_file(folder / "t2.npy"));

  // A file for each echo is the same series.
  std::vector<std::string> words{"t2"};
  for (Index echo = 0; echo < 4; ++echo) {
    const std::string name = folder / ("echo" + std::to_string(echo) + ".npy");
    const auto all = converted<std::complex<float>>(ctx, read_array(ctx, echoes).values, "echoes");
    write_array(ctx, name, {"echo", clone(ctx, all.ref().slice(echo))});
    words.push_back(name);
  }
  words.insert(words.end(), {"--times", "10,20,40,80", "-o", folder / "files.npy", "--noise", "0.1"});
  ASSERT_EQ(run(words).exit_code, 0);
  EXPECT_EQ(test::read_file(folder / "files.npy"), test::read_file(folder / "t2.npy"));
  words[2] = echoes;
  EXPECT_NE(run(words).err.find("has shape [4, 6, 5], expected [6, 5]"), std::string::npos);

  const auto wrong = run({"t1", echoes, "--times", "10,20,40", "-o", folder / "t1.npy"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
  EXPECT_NE(wrong.err.find("for 3 times"), std::string::npos) << wrong.err;
  EXPECT_NE(run({"t2", echoes, "-o", folder / "t3.npy"}).err.find("give one in ms for each echo (--times)"),
            std::string::npos);

  // Each value has this standard deviation as its error.
  Array<float> errors(ctx, {6, 5});
  fill(errors, 0.1F);
  write_array(ctx, folder / "sigma.npy", {"sigma", std::move(errors)});
  const auto weighted = run({"t2", echoes, "--times", "10,20,40,80", "-o", folder / "t4.npy", "--error",
                             folder / "error4.npy", "--series-error", folder / "sigma.npy"});
  ASSERT_EQ(weighted.exit_code, 0) << weighted.err;
  const auto error4 = converted<float>(ctx, read_array(ctx, folder / "error4.npy").values, "error");
  // Rounding of 0.1 to float, 1e-8
  for (Index r = 0; r < 30; ++r) EXPECT_NEAR(error4.data()[r] / error.data()[r], 1, 1e-6);
  EXPECT_EQ(run({"t2", echoes, "--times", "10,20,40,80", "-o", folder / "t5.npy", "--noise", "0.1", "--series-error",
                 folder / "sigma.npy"})
                .exit_code,
            2);
}

// Diffusion along x is four times that along y and z.
TEST(MapCommand, FitsATensorFromFslFiles) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const std::vector<double> b{0, 900, 900, 900, 900, 900, 900, 400};
  const std::vector<std::array<double, 3>> g{{0, 0, 0},     {1, 0, 0},     {0, 1, 0},      {0, 0, 1},
                                             {0.6, 0.8, 0}, {0.6, 0, 0.8}, {0, 0.6, -0.8}, {0, 0.8, 0.6}};
  Array<float> series(ctx, {8, 3, 4});
  for (Index i = 0; i < series.size(); ++i) {
    const auto n = static_cast<std::size_t>(i / 12);
    const double d = 4e-4 * (4 * g[n][0] * g[n][0] + g[n][1] * g[n][1] + g[n][2] * g[n][2]);
    series.data()[i] = static_cast<float>(100 * std::exp(-b[n] * d));
  }
  write_array(ctx, folder / "series.npy", {"series", std::move(series)});
  std::string bval;
  std::array<std::string, 3> lines;
  for (std::size_t n = 0; n < b.size(); ++n) {
    bval += std::to_string(b[n]) + " ";
    for (std::size_t axis = 0; axis < 3; ++axis) lines[axis] += std::to_string(g[n][axis]) + " ";
  }
  test::write_file(folder / "dwi.bval", bval + "\n");
  test::write_file(folder / "dwi.bvec", lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {WHORL_PROGRAM, "map", "diffusion", folder / "series.npy"});
    return test::run_process(words);
  };
  const auto result =
      run({"--b-file", folder / "dwi.bval", "--directions", folder / "dwi.bvec", "-o", folder / "md.npy", "--fa",
           folder / "fa.npy", "--eigenvectors", folder / "v.npy", "--color", folder / "c.png"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto md = converted<float>(ctx, read_array(ctx, folder / "md.npy").values, "md");
  const auto fa = converted<float>(ctx, read_array(ctx, folder / "fa.npy").values, "fa");
  const auto v = converted<float>(ctx, read_array(ctx, folder / "v.npy").values, "v");
  EXPECT_EQ(v.shape(), (Shape{3, 3, 3, 4}));
  for (Index r = 0; r < 12; ++r) {
    // Values in float, 6e-8, times the condition of the fit, below 100. FA of eigenvalues 4, 1, 1: 1 / sqrt(2).
    EXPECT_NEAR(md.data()[r], 8e-4, 8e-4 * 1e-5);
    EXPECT_NEAR(fa.data()[r], std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(std::abs(v.data()[r]), 1, 1e-5);
  }
  EXPECT_GT(test::read_file(folder / "c.png").size(), 100U);

  const auto one_line = [](const auto& wrong, const std::string& words) {
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
    EXPECT_NE(wrong.err.find(words), std::string::npos) << wrong.err;
  };
  test::write_file(folder / "odd.bvec", "1 0 0\n0 x 0\n0 0 1\n");
  one_line(run({"--b-file", folder / "dwi.bval", "--directions", folder / "odd.bvec", "-o", folder / "n.npy"}),
           "line 2 has 'x'");
  test::write_file(folder / "few.bvec", "1 0 0\n0 1 0\n0 0 1\n");
  one_line(run({"--b-file", folder / "dwi.bval", "--directions", folder / "few.bvec", "-o", folder / "n.npy"}),
           "3 directions for 8 b values");
  one_line(run({"-o", folder / "n.npy"}), "no b values");
  EXPECT_EQ(run({"--b-values", "0,1", "-o", folder / "n.npy", "--fa", folder / "fa.npy"}).exit_code, 2);
}

TEST(MapCommand, SeparatesWaterAndFat) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const std::vector<double> times{1.2, 2.4, 3.6, 4.8, 6.0};
  Array<std::complex<float>> echoes(ctx, {5, 6, 7});
  for (Index i = 0; i < echoes.size(); ++i) {
    const double t = 1e-3 * times[static_cast<std::size_t>(i / 42)];
    // One peak at -3.4 ppm in 3 T: 434.3 Hz below water
    const std::complex<double> fat = std::polar(0.25, 2 * std::numbers::pi * 3.4 * 42.577478 * 3 * t);
    echoes.data()[i] =
        std::complex<float>((0.75 + fat) * std::polar(std::exp(-50 * t), -2 * std::numbers::pi * 60 * t));
  }
  write_array(ctx, folder / "echoes.npy", {"echoes", std::move(echoes)});
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {WHORL_PROGRAM, "map", "water-fat", folder / "echoes.npy"});
    return test::run_process(words);
  };
  const auto result = run({"--times", "1.2,2.4,3.6,4.8,6", "--field-strength", "3", "--peaks", "-3.4", "--amplitudes",
                           "1", "-o", folder / "pdff.npy", "--field", folder / "f.npy", "--r2star", folder / "r.npy",
                           "--water", folder / "w.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto map = [&](const std::string& name) {
    return converted<float>(ctx, read_array(ctx, folder / name).values, name);
  };
  // Values in float, 6e-8, times the condition of the fit, below 100
  EXPECT_NEAR(map("pdff.npy").data()[20], 0.25, 1e-5);
  EXPECT_NEAR(map("w.npy").data()[20], 0.75, 1e-5);
  EXPECT_NEAR(map("f.npy").data()[20], 60, 1e-2);
  EXPECT_NEAR(map("r.npy").data()[20], 50, 1e-2);
  const auto wrong = run({"--times", "1.2,2.4,3.6,4.8", "--field-strength", "3", "-o", folder / "n.npy"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
  EXPECT_NE(wrong.err.find("for 4 times"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace whorl
