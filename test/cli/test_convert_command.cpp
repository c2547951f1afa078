#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

using test::run_process;

template <class T>
void write_raw(const std::filesystem::path& path, const std::vector<T>& values) {
  test::write_file(path, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

constexpr int samples = 30;

class ConvertCommand : public ::testing::Test {
 protected:
  // A trajectory kx, ky, weight in cycles per pixel, and two coils.
  void SetUp() override {
    std::vector<float> trajectory;
    for (int coil = 0; coil < 2; ++coil) {
      std::vector<std::complex<float>> data;
      for (int i = 0; i < samples; ++i) {
        data.emplace_back(static_cast<float>(i + 1), static_cast<float>(coil));
        if (coil > 0) continue;
        const double radius = 0.5 * i / (samples - 1);
        trajectory.insert(trajectory.end(), {static_cast<float>(radius * std::cos(i)),
                                             static_cast<float>(radius * std::sin(i)), 1.0F + static_cast<float>(i)});
      }
      write_raw(folder_ / ("coil" + std::to_string(coil)), data);
    }
    write_raw(folder_ / "trajectory", trajectory);
  }

  std::vector<std::string> command() const {
    return {WHORL_PROGRAM,
            "convert",
            folder_ / "trajectory",
            folder_ / "coil0",
            folder_ / "coil1",
            "-o",
            output_,
            "--matrix",
            "24",
            "24",
            "--trajectory-unit",
            "cycles/pixel",
            "--kind",
            "spiral",
            "--quiet"};
  }

  test::TemporaryFolder folder_;
  std::string output_ = folder_ / "scan.h5";
};

TEST_F(ConvertCommand, WritesAScanAndItsRecord) {
  const auto result = run_process(command());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  const Context ctx;
  const Scan scan = read_ismrmrd(ctx, output_);
  EXPECT_EQ(scan.coils, 2);
  EXPECT_EQ(scan.trajectory_kind, "spiral");
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].data.view<2>()(1, 4), std::complex<float>(5, 1));

  const auto record = nlohmann::json::parse(test::read_file(folder_ / "scan.h5.json"));
  EXPECT_EQ(record["inputs"].size(), 3U);
  EXPECT_EQ(record["inputs"][0]["bytes"], samples * 3 * 4);
  EXPECT_EQ(record["parameters"]["matrix"], "24 x 24 x 1");
  EXPECT_EQ(record["outputs"][0], output_);
  EXPECT_TRUE(record["command_line"].get<std::string>().starts_with("whorl convert "));
}

TEST_F(ConvertCommand, SaysWhatWasTakenForWhat) {
  auto words = command();
  words.pop_back();
  const auto result = run_process(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("wrote "), std::string::npos) << result.out;
}

TEST_F(ConvertCommand, FailuresLeaveNothingBehind) {
  const auto expect_failure = [&](const std::vector<std::string>& words, const test::ProcessOptions& options,
                                  int exit_code = 1) {
    const auto before = folder_.entries();
    const auto result = run_process(words, options);
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("whorl: error: ")) << result.err;
    EXPECT_EQ(folder_.entries(), before);
    return result.err;
  };
  expect_failure(command(), {.file_bytes = 4096});
  auto missing = command();
  missing[3] = folder_ / "coil9";
  EXPECT_NE(expect_failure(missing, {}).find("coil9"), std::string::npos);
  std::filesystem::copy(folder_ / "coil1", output_);
  auto same = command();
  same[4] = output_;
  EXPECT_NE(expect_failure(same, {}, 2).find("is an input"), std::string::npos);
}

}  // namespace
}  // namespace whorl
