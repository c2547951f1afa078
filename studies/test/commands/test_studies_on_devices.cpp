// Every study as a command, in small, on the device of the test: what it writes is complete, right, and what
// docs/studies shows of it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "support/device.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"

namespace whorl {
namespace {

using nlohmann::json;

/// Runs a study on the device of the test, and returns its results.json.
json run_study(const test::TemporaryFolder& folder, const std::string& name, std::vector<std::string> options) {
  const Context ctx = test::device_context();
  std::vector<std::string> command{"study", name, "--device", to_string(ctx.device()), "--threads", "2"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", folder / "out"});
  // What tuning finds for so small a case is for nobody else.
  ::setenv("XDG_CACHE_HOME", (folder / "caches").c_str(), 1);
  test::expect_success(command);
  const std::string file = folder / "out/results.json";
  const json out = json::parse(test::read_file(file));
  EXPECT_EQ(out["study"], name);
  EXPECT_EQ(out["device"], to_string(ctx.device()));
  EXPECT_NE(out["command"].get<std::string>().find("study " + name), std::string::npos);
  EXPECT_TRUE(out["load"].is_number()) << out["load"];
  for (const auto& [title, rows] : out["tables"].items()) {
    for (const json& row : rows) {
      for (const auto& [column, value] : row.items()) {
        if (!value.is_number()) continue;
        // Tensor cores round factors to 11 bits: 2e-3. Windows from a table are checked against that table.
        if (column == "relative l2 error" || column == "error, own window" || column == "rounding error") {
          EXPECT_LT(value, 5e-3) << title << " " << row;
        }
        if (column == "missed" || column == "wrong threads") {
          EXPECT_EQ(value, 0) << title << " " << row;
        }
        if (column.ends_with(" ms") || column == "ms") {
          EXPECT_GT(value, 0) << title << " " << row;
        }
      }
    }
  }
  // The page's tables are among them, with their columns.
  const test::ProcessResult form =
      test::run_process({WHORL_PYTHON, WHORL_SOURCE_FOLDER "/studies/study-tables", "--form", file});
  EXPECT_EQ(form.exit_code, 0) << form.err;
  EXPECT_EQ(form.out.find("0 tables"), std::string::npos) << form.out;
  return out;
}

TEST(StudiesOnDevices, QuantitativeMri) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "quantitative_mri", {"--size", "16", "--iterations", "5", "--full", "--center"});
  EXPECT_EQ(out["parameters"]["center"], "yes");
  for (const json& row : out["tables"]["quality"]) {
    EXPECT_TRUE(row["SNR dB"].is_number()) << row;
    EXPECT_GT(row["SNR dB"], 5) << row;
  }
}

TEST(StudiesOnDevices, Gridding2d) {
  const test::TemporaryFolder folder;
  run_study(folder, "gridding_2d",
            {"--size", "64", "--samples", "200", "--more-samples", "9000", "--window", "16", "--entries", "2"});
}

TEST(StudiesOnDevices, MriQ) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "mri_q", {"--size", "37", "--samples", "40"});
  EXPECT_EQ(out["tables"]["parboil"].size(), 3U);  // 16, 32, 37
}

TEST(StudiesOnDevices, Fhd) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "fhd", {"--size", "9", "--samples", "300", "--retune"});
  EXPECT_EQ(out["tables"]["searches"].size(), 3U);
  EXPECT_EQ(test::read_file(folder / "out/tuning.png").substr(1, 3), "PNG");
}

TEST(StudiesOnDevices, ImageFilters) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "image_filters", {"--size", "256"});
  // Every filter with a row of the library, at one size; the identity changes nothing.
  EXPECT_GE(out["tables"]["sizes"].size(), 9U);
  for (const json& row : out["tables"]["identity"]) EXPECT_EQ(row["largest error, levels"], 0) << row;
}

TEST(StudiesOnDevices, Heat) {
  const test::TemporaryFolder folder;
  run_study(folder, "heat", {"--size", "24", "--steps", "8"});
}

TEST(StudiesOnDevices, Energy) {
  const test::TemporaryFolder folder;
  const json out = run_study(
      folder, "energy", {"--size", "32", "--volume", "16", "--samples", "6000", "--coils", "2", "--seconds", "0.01"});
  // Two threads and one, or all multiprocessors and at least two parts of them; each part does all jobs.
  const json parts = out["tables"]["parts"];
  const json rows = out["tables"]["energy"];
  ASSERT_GE(parts.size(), 2U);
  ASSERT_EQ(rows.size() % 10, 0U);
  const std::string unit = out["device"] == "cpu" ? "threads" : "multiprocessors";
  for (const json& part : parts) {
    EXPECT_GE(part["given"], part[unit + " asked for"]) << part;
    if (out["device"] == "cpu") continue;
    // Blocks run on the multiprocessors of the part alone, whether they come from the stream or from a graph.
    EXPECT_EQ(part["seen in a stream"], part["given"]) << part;
    EXPECT_EQ(part["seen in a graph"], part["given"]) << part;
  }
  for (const json& row : rows) {
    // Kernels: roundings, 5e-6 (test_gridding_2d). Images: CG multiplies roundings of 6e-8 by the condition, 1e3 here, and the
    // tolerance of the transform is the same on every part.
    EXPECT_LT(row["error"], 1e-3) << row;
    EXPECT_GE(row["runs"], 1) << row;
  }
  EXPECT_EQ(out["tables"]["scaling"].size(), 10U);
}

TEST(StudiesOnDevices, Fmri) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "fmri", {"--size", "16", "--volumes", "40", "--noise", "0.005", "--seconds", "0"});
  const json found = out["tables"]["detection"];
  ASSERT_EQ(found.size(), 5U);
  // At rest and with both corrections the whole activation is found; motion alone costs some of the signal to noise.
  for (const std::size_t row : {0U, 4U}) EXPECT_EQ(found[row]["found"], found[row]["active voxels"]) << found[row];
  EXPECT_LT(found[1]["signal to noise in time"], found[4]["signal to noise in time"]);
  const json errors = out["tables"]["corrections"];
  EXPECT_LT(errors[3]["field Hz"], 0.1 * errors[0]["field Hz"].get<double>());
  EXPECT_LT(errors[3]["shift mm"], 0.2 * errors[0]["shift mm"].get<double>());
  EXPECT_EQ(out["tables"]["stream"][0]["what"], "volumes a second");
  EXPECT_EQ(test::read_file(folder / "out/maps.png").substr(1, 3), "PNG");
}

TEST(StudiesOnDevices, Sha1Search) {
  const test::TemporaryFolder folder;
  const json out = run_study(folder, "sha1_search", {"--alphabet", "0123456789", "--length", "4"});
  EXPECT_EQ(out["tables"]["lengths"].back()["hashed"], 11110);
  // The commit of the build, which is that of the sources now, where they are a repository.
  const test::ProcessResult git =
      test::run_process({"/usr/bin/env", "git", "-C", WHORL_SOURCE_FOLDER, "rev-parse", "HEAD"});
  const std::string commit = out["commit"];
  if (git.exit_code == 0) {
    EXPECT_GE(commit.size(), 12U);
    EXPECT_TRUE(git.out.starts_with(commit.substr(0, 12))) << commit << " " << git.out;
  }
}

}  // namespace
}  // namespace whorl
