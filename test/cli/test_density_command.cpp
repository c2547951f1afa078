#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

class DensityCommand : public ::testing::Test {
 protected:
  void SetUp() override { write_scan(ctx_, test::make_small_scan(ctx_), folder_ / "scan.h5"); }

  test::ProcessResult density(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {WHORL_PROGRAM, "density"});
    return test::run_process(arguments);
  }

  void write_trajectory(const std::string& name, Trajectory trajectory) const {
    Scan scan;
    scan.matrix = {24, 24, 1};
    scan.trajectory_kind = "other";
    ScanFrame frame;
    frame.data = Array<std::complex<float>>(ctx_, {0, trajectory.samples()});
    frame.trajectory = std::make_shared<const Trajectory>(std::move(trajectory));
    scan.frames.push_back(std::move(frame));
    write_scan(ctx_, scan, folder_ / name);
  }

  static void expect_one_line(const test::ProcessResult& result, int exit_code, const std::string& part) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  const Context ctx_;
  test::TemporaryFolder folder_;
};

TEST_F(DensityCommand, AddsWeightsAndKeepsTheData) {
  const auto result = density({folder_ / "scan.h5", "--method", "radial", "-o", folder_ / "out.npz"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string expected :
       {"method            radial (analytic", "side lobe         -", "side-lobe energy  ", "main lobe         ",
        "flatness          ", "weights           ", "mean 1\n", "time              ", "wrote             "}) {
    EXPECT_NE(result.out.find(expected), std::string::npos) << expected << " in:\n" << result.out;
  }
  const Scan before = read_scan(ctx_, folder_ / "scan.h5");
  const Scan after = read_scan(ctx_, folder_ / "out.npz");
  ASSERT_EQ(after.frames.size(), before.frames.size());
  for (std::size_t frame = 0; frame < after.frames.size(); ++frame) {
    ASSERT_NE(after.frames[frame].weights, nullptr);
    const auto expected = radial_density<float>(ctx_, *before.frames[frame].trajectory, before.image_shape());
    const auto weights = after.frames[frame].weights->span();
    ASSERT_EQ(weights.size(), expected.span().size());
    // Written and read as float, from one trajectory: rounding of the normalization at most.
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(weights[i], expected.span()[i], 1e-5);
    const auto data = after.frames[frame].data.span();
    EXPECT_TRUE(std::equal(data.begin(), data.end(), before.frames[frame].data.span().begin()));
  }
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "out.npz.json"));
  EXPECT_EQ(record["parameters"]["method"], "radial");
  EXPECT_EQ(record["inputs"].size(), 1U);
}

TEST_F(DensityCommand, ComparesAllMethods) {
  const auto result = density({folder_ / "scan.h5", "--method", "all", "--json", folder_ / "all.json", "--cell", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(folder_.entries(), 2);
  const auto json = nlohmann::json::parse(test::read_file(folder_ / "all.json"));
  EXPECT_EQ(json["samples"], 60);
  std::vector<std::string> names;
  for (const auto& method : json["methods"]) {
    names.push_back(method["method"]);
    EXPECT_NE(result.out.find("\n" + names.back() + " "), std::string::npos) << result.out;
    if (names.back() == "file") {
      EXPECT_NE(method["does_not_apply"].get<std::string>().find("no density weights"), std::string::npos);
      continue;
    }
    EXPECT_NEAR(method["side_lobe_db"].get<double>(), 20 * std::log10(method["side_lobe"].get<double>()), 1e-9);
    EXPECT_GT(method["flatness"]["grid_points"], 0);
    EXPECT_GE(method["flatness"]["most"], 1);
    EXPECT_LE(method["weights"]["least"], 1);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"none", "file", "radial", "spiral", "cells", "voronoi", "pipe-menon"}));
  EXPECT_NE(result.out.find("file        does not apply: "), std::string::npos) << result.out;
}

TEST_F(DensityCommand, AutomaticTakesTheFormulaThatFits) {
  const auto method_for = [&](Trajectory trajectory) -> std::string {
    write_trajectory("t.npz", std::move(trajectory));
    const auto result = density({folder_ / "t.npz", "-o", folder_ / "w.npz", "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["methods"][0]["method"];
  };
  EXPECT_EQ(method_for(spiral_trajectory(ctx_, 6, 80, 2)), "spiral");
  Trajectory loose = spiral_trajectory(ctx_, 6, 80, 2);
  loose.readout_length = 0;
  EXPECT_EQ(method_for(std::move(loose)), "pipe-menon");
  const Scan scan = read_scan(ctx_, folder_ / "w.npz");
  ASSERT_NE(scan.frames[0].weights, nullptr);
  const auto weights = scan.frames[0].weights->span();
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 480, 1e-2);
}

TEST_F(DensityCommand, VoronoiTakesItsBoundary) {
  const auto most = [&](const std::string& boundary) {
    const auto result = density(
        {folder_ / "scan.h5", "-o", folder_ / "w.h5", "--method", "voronoi", "--boundary", boundary, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["methods"][0]["weights"]["most"].get<double>();
  };
  EXPECT_NE(most("hull"), most("extrapolated"));
}

TEST_F(DensityCommand, MistakesAreOneLine) {
  const std::string scan = folder_ / "scan.h5";
  expect_one_line(density({scan}), 2, "--output");
  expect_one_line(density({scan, "--method", "all", "-o", folder_ / "w.h5"}), 2, "only compares");
  expect_one_line(density({scan, "--method", "guess", "-o", folder_ / "w.h5"}), 2, "--method");
  expect_one_line(density({scan, "-o", folder_ / "w.txt"}), 2, ".npz");
  expect_one_line(density({scan, "-o", scan}), 2, "is an input (scan)");
  expect_one_line(density({scan, "-o", folder_ / "w.h5", "--json", folder_ / "w.h5.json"}), 2,
                  "w.h5.json', the record of the run");
  expect_one_line(density({folder_ / "none.h5", "-o", folder_ / "w.h5", "--quiet"}), 1, "none.h5");
  expect_one_line(density({scan, "-o", folder_ / "w.h5", "--method", "file", "--quiet"}), 1, "no density weights");
  EXPECT_EQ(folder_.entries(), 1);
}

}  // namespace
}  // namespace whorl
