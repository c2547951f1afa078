#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <csignal>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using nlohmann::json;
using test::expect_failure;
using test::expect_success;

const std::string two_cases = "nufft/small-radial-2d/(forward|adjoint)/5-coils/1e-4";

TEST(BenchCommand, ListsTheCasesOfAFilter) {
  EXPECT_EQ(expect_success({"bench", "--list", "--only", two_cases}),
            "nufft/small-radial-2d/forward/5-coils/1e-4\nnufft/small-radial-2d/adjoint/5-coils/1e-4\n");
  const std::string all = expect_success({"bench", "--list"});
  EXPECT_NE(all.find("nufft/radial-2d-256/adjoint/12-coils/1e-3\n"), std::string::npos);
  EXPECT_EQ(all.find("small"), std::string::npos);
}

TEST(BenchCommand, OneRecordPerCase) {
  const test::TemporaryFolder folder;
  const std::string text =
      expect_success({"bench", "--only", two_cases, "--threads", "1", "--device", "cpu", "--json", folder / "b.json"});
  const json out = json::parse(test::read_file(folder / "b.json"));
  ASSERT_EQ(out["cases"].size(), 2U);
  EXPECT_EQ(out["cases"][1]["direction"], "adjoint");
  for (const json& record : out["cases"]) {
    EXPECT_EQ(record["case"], "small-radial-2d");
    EXPECT_EQ(record["coils"], 5);
    EXPECT_EQ(record["tolerance"], 1e-4);
    EXPECT_EQ(record["device"], "cpu");
    EXPECT_EQ(record["threads"], 1);
    EXPECT_EQ(record["samples"], 31 * 96);
    EXPECT_GE(record["repetitions"], 5);
    EXPECT_FALSE(record.contains("pairs_per_s"));
    const double samples_per_s = record["samples_per_s"];
    EXPECT_NEAR(samples_per_s * record["median_ms"].get<double>(), 5 * 31 * 96 * 1e3, 1);
    EXPECT_GT(record["error"], 0);
    EXPECT_LE(record["error"], 1e-4);
    EXPECT_NE(text.find(record["name"].get<std::string>() + " "), std::string::npos) << text;
  }
  std::istringstream lines(text);
  std::string heading;
  std::getline(lines, heading);
  EXPECT_NE(heading.find("ns/sample"), std::string::npos);
}

TEST(BenchCommand, JsonToStandardOutputAlone) {
  const json out =
      json::parse(expect_success({"bench", "--only", "dft/small-random-2d/forward/1-coil", "--json", "-"}));
  const json record = out["cases"][0];
  EXPECT_NEAR(record["pairs_per_s"].get<double>() / record["samples_per_s"].get<double>(), 12 * 17, 1e-6);
  EXPECT_LE(record["error"], 1e-5);
  EXPECT_EQ(expect_success({"bench", "--only", "dft/small-random-2d/forward/1-coil", "-q"}), "");
}

TEST(BenchCommand, AnotherToleranceMergesCases) {
  const json out = json::parse(expect_success(
      {"bench", "--only", "nufft/small-spiral-2d/forward/1-coil", "--tolerance", "2e-2", "--json", "-"}));
  ASSERT_EQ(out["cases"].size(), 1U);
  EXPECT_EQ(out["cases"][0]["name"], "nufft/small-spiral-2d/forward/1-coil/2e-2");
  EXPECT_LE(out["cases"][0]["error"], 2e-2);
}

// What another program is given: the sum of the definition over the exported trajectory and input is the exact value.
TEST(BenchCommand, ExportsWhatItMeasuresOn) {
  using Complex = std::complex<double>;
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "data");
  expect_success({"bench", "--only", "nufft/small-radial-2d/adjoint/5-coils/1e-3", "--export", folder / "data"});
  const Context ctx;
  const auto problem = folder / "data" / "small-radial-2d";
  const auto k = read_npy<double>(ctx, problem / "trajectory.npy");
  const auto data = read_npy<std::complex<float>>(ctx, problem / "5" / "adjoint" / "input.npy");
  const auto places = read_npy<double>(ctx, problem / "5" / "adjoint" / "places.npy");
  const auto exact = read_npy<Complex>(ctx, problem / "5" / "adjoint" / "exact.npy");
  ASSERT_EQ(k.shape(), (Shape{31 * 96, 2}));
  ASSERT_EQ(data.shape(), (Shape{5, 31 * 96}));
  ASSERT_EQ(exact.shape(), (Shape{5, places.size()}));
  constexpr Index coil = 3;
  for (const Index i : {Index{0}, places.size() / 2}) {
    const auto pixel = static_cast<Index>(places.data()[i]);
    const auto x = static_cast<double>(pixel % 44 - 22);
    const auto y = static_cast<double>(pixel / 44 - 18);
    Complex sum = 0;
    for (Index j = 0; j < k.extent(0); ++j) {
      const double turns = k.data()[2 * j] * x + k.data()[2 * j + 1] * y;
      sum += Complex(data.data()[coil * k.extent(0) + j]) *
             std::polar(1 / std::sqrt(36.0 * 44), 2 * std::numbers::pi * turns);
    }
    // Sums of 3000 terms in double.
    EXPECT_LE(std::abs(sum - exact.data()[coil * places.size() + i]), 1e-11);
  }
}

TEST(BenchCommand, FailuresSayWhatIsWrong) {
  const test::TemporaryFolder folder;
  expect_failure({"bench", "--only", "no-such-case"}, 1, "no case has a name like 'no-such-case'; see --list");
  expect_failure({"bench", "--only", "(", "--list"}, 1, "'(' is not a regular expression");
  expect_failure({"bench", "--list", "--json", "-"}, 2, "--list excludes --json");
  expect_failure({"bench", "--only", two_cases, "--tolerance", "1e-12"}, 1, "floor that rounding sets");
  expect_failure({"bench", "--only", two_cases, "--json", folder / "none" / "b.json"}, 1, "none/b.json");
  test::write_file(folder / "file", "");
  expect_failure({"bench", "--only", two_cases, "--export", folder / "file"}, 1, "name another folder");
  expect_failure({"bench", "--only", two_cases, "--export", folder / "none"}, 1, "none' is no folder; create it first");
  expect_failure({"bench", "--only", "^filter/invert", "--export", folder / "none"}, 2,
                 "--export applies only with cases of transforms");
  expect_failure({"bench", "--only", "^dft/small", "--accuracy", "typical"}, 2,
                 "--accuracy applies only with cases of the NUFFT");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(BenchCommand, ASignalStopsIt) {
  const auto result =
      test::run_process({WHORL_PROGRAM, "bench", "--only", "small-", "--verbose"}, {.signals = {{"timing", SIGINT}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("stopped on request"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace whorl
