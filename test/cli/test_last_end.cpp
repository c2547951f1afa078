// Ends of the process that no caller sees, and what limits of the system leave it.
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <string>

#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

using test::run_process;
using test::TemporaryFolder;

struct End {
  const char* how;
  int exit_code;
  const char* words;
};

class LastEnd : public ::testing::TestWithParam<End> {};

TEST_P(LastEnd, LeavesNoFileAndSaysWhy) {
  const TemporaryFolder folder;
  const auto result = run_process({WHORL_END_PROBE, folder / "result", GetParam().how});
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_NE(result.err.find(GetParam().words), std::string::npos) << result.err;
  EXPECT_EQ(folder.entries(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, LastEnd,
                         ::testing::Values(End{"memory", 1, "whorl: error: out of memory"}, End{"exit", 1, ""},
                                           End{"abort", 128 + SIGABRT, "crashed (ABRT)"},
                                           End{"fault", 128 + SIGSEGV, "crashed (SEGV)"},
                                           End{"stack", 128 + SIGSEGV, "crashed (SEGV)"}),
                         [](const auto& end) { return std::string(end.param.how); });

// A shell sets the limits, as a cluster's queue does.
test::ProcessResult run_limited(const std::string& limits, const std::string& words) {
  return run_process({"/bin/sh", "-c", limits + " exec '" + WHORL_PROGRAM + "' " + words});
}

// 16 kB of stack ended each run by SIGSEGV; the program takes the usual stack then.
TEST(Limits, AStackThatIsTooSmallIsRaised) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5";
  write_ismrmrd(Context(), test::make_small_scan(Context()), scan);
  const std::string image = folder / "image.npy";
  for (const char* limits : {"OMP_STACKSIZE=16k", "GOMP_STACKSIZE=1k OMP_STACKSIZE=' 16 K'", "OMP_STACKSIZE=4096B"}) {
    const auto result = run_limited(limits, "recon '" + scan + "' -o '" + image + "' -q --threads 3");
    EXPECT_EQ(result.exit_code, 0) << limits << ": " << result.err;
  }
}

// Address space that ends anywhere in the run: a result or one line, and no temporary file.
TEST(Limits, MemoryThatEndsAnywhereIsOneLine) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5";
  write_ismrmrd(Context(), test::make_small_scan(Context()), scan);
  int failed = 0;
  for (int megabytes = 40; megabytes <= 200; megabytes += 16) {
    const TemporaryFolder results;
    const std::string limits = "ulimit -v " + std::to_string(megabytes * 1024) + ";";
    const auto result =
        run_limited(limits, "recon '" + scan + "' -o '" + (results / "image.nii.gz").string() + "' -q --threads 4");
    if (result.exit_code == 0) {
      EXPECT_EQ(results.entries(), 2) << megabytes;
      continue;
    }
    ++failed;
    EXPECT_EQ(results.entries(), 0) << megabytes << " MB: " << result.err;
    EXPECT_FALSE(result.err.empty()) << megabytes;
    // Nothing before main() is the program's: the loader and OpenMP's runtime end it there in words of their own.
    EXPECT_LT(result.exit_code, 128) << megabytes << " MB: " << result.err;
  }
  EXPECT_GT(failed, 0);
}

// A process that may use one of several processors takes one thread, and lacks none.
TEST(Limits, ProcessorsOfOthersAreNotMissed) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  int first = 0;
  while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &mine)) ++first;
  const TemporaryFolder folder;
  const auto result = run_process({"/usr/bin/taskset", "-c", std::to_string(first), WHORL_PROGRAM, "traj", "radial",
                                   "--matrix", "16", "--spokes", "8", "-o", folder / "spokes.npz"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err.find("can be started"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace whorl
