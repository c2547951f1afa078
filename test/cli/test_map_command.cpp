#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

  const auto wrong = run({"t1", echoes, "--times", "10,20,40", "-o", folder / "t1.npy"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
  EXPECT_NE(wrong.err.find("for 3 times"), std::string::npos) << wrong.err;
  EXPECT_EQ(run({"t2", echoes, "-o", folder / "t3.npy"}).exit_code, 2);
}

}  // namespace
}  // namespace whorl
