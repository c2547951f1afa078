// whorl recon in a group of processes (cgroup) that may use less memory than its scan takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/file_content.hpp"
#include "support/memory_group.hpp"
#include "support/phantom_scan.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr std::uint64_t limit = std::uint64_t{160} << 20;

// 200 frames of 16 coils, 9600 samples each.
void write_small_series(const std::filesystem::path& file) {
  const Context ctx({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 75, 128, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(ctx, trajectory, {64, 60, 1}, {.coils = 16, .noise_standard_deviation = 0.1});
  scan.noise = {};
  for (int repetition = 1; repetition < 200; ++repetition) {
    const ScanFrame& first = scan.frames.front();
    scan.frames.push_back(
        {{.repetition = repetition}, trajectory, nullptr, clone<std::complex<float>>(ctx, first.data), first.geometry});
    for (auto& sample : scan.frames.back().data.span()) sample *= static_cast<float>(repetition);
  }
  write_ismrmrd(ctx, scan, file);
}

TEST(ReconMemoryLimit, AFileLargerThanThatOfTheGroup) {
  const test::MemoryGroup group(limit);
  if (group.path().empty())
    GTEST_SKIP() << "no cgroup with a limit of memory can be made here: that takes root's rights";
  const test::TemporaryFolder folder;
  write_small_series(folder / "scan.h5");
  ASSERT_GT(std::filesystem::file_size(folder / "scan.h5"), limit);
  const auto recon = [&](const std::string& image, const std::filesystem::path& joined) {
    return test::run_process({WHORL_PROGRAM, "recon", folder / "scan.h5", "-o", folder / image, "--iterations", "4",
                              "--lambda", "0.01", "--threads", "2", "--temp-dir", folder.path()},
                             {.group = joined});
  };
  const auto whole = recon("whole.nii", {});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(whole.out.find("Spilled"), std::string::npos) << whole.out;
  // Killed by the system (137) where it takes more.
  const auto limited = recon("limited.nii", group.path());
  ASSERT_EQ(limited.exit_code, 0) << limited.err;
  EXPECT_NE(limited.out.find("Spilled"), std::string::npos) << limited.out;
  EXPECT_EQ(test::read_file(folder / "limited.nii"), test::read_file(folder / "whole.nii"));
  EXPECT_LE(group.peak().value_or(0), limit);
}

}  // namespace
}  // namespace whorl
