#include <gtest/gtest.h>

#include <csignal>

#include "cli/output/signals.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace whorl {
namespace {

using test::run_process;
using test::TemporaryFolder;

class StopSignal : public ::testing::TestWithParam<int> {};

TEST_P(StopSignal, TheFirstOneUnwindsAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto result = run_process({WHORL_CANCEL_PROBE, folder / "result"}, {.signals = {{"ready", GetParam()}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "probing: stopped on request\n");
  EXPECT_EQ(folder.entries(), 0);
}

TEST_P(StopSignal, TheSecondOneEndsAtOnceAndLeavesNoFile) {
  const TemporaryFolder folder;
  // The second signal waits until the first was seen: equal signals that are pending are one.
  const auto result = run_process({WHORL_CANCEL_PROBE, folder / "result", "deaf"},
                                  {.signals = {{"ready", GetParam()}, {"asked", GetParam()}}});
  EXPECT_EQ(result.exit_code, 128 + GetParam());
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(folder.entries(), 0);
}

// Files of one command that are complete and wait for the others.
TEST_P(StopSignal, TheSecondOneLeavesNoFileOfAGroup) {
  const TemporaryFolder folder;
  const auto result = run_process({WHORL_CANCEL_PROBE, folder / "result", "group"},
                                  {.signals = {{"ready", GetParam()}, {"asked", GetParam()}}});
  EXPECT_EQ(result.exit_code, 128 + GetParam());
  EXPECT_EQ(folder.entries(), 0);
}

TEST_P(StopSignal, WorkThatDoesNotStopIsEndedAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto result =
      run_process({WHORL_CANCEL_PROBE, folder / "result", "slow"}, {.signals = {{"ready", GetParam()}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "whorl: error: stopped on request\n");
  EXPECT_EQ(folder.entries(), 0);
}

TEST_P(StopSignal, NoneEndsItWhileFilesGetTheirNames) {
  const TemporaryFolder folder;
  const auto result = run_process({WHORL_CANCEL_PROBE, folder / "result", "hold"},
                                  {.signals = {{"ready", GetParam()}, {"asked", GetParam()}}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "result"));
  EXPECT_EQ(folder.entries(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, StopSignal, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGXCPU));

void nothing(int /*number*/) {}

TEST(CancelOnSignal, ActsWhileItLivesAndRespectsIgnoredSignals) {
  const auto old_interrupt = std::signal(SIGINT, nothing);
  const auto old_terminate = std::signal(SIGTERM, SIG_IGN);
  const Context ctx;
  {
    const cli::CancelOnSignal cancel(ctx);
    std::raise(SIGTERM);
    EXPECT_FALSE(ctx.cancel_requested());
    std::raise(SIGINT);
    EXPECT_TRUE(ctx.cancel_requested());
  }
  EXPECT_EQ(std::signal(SIGTERM, old_terminate), SIG_IGN);
  EXPECT_EQ(std::signal(SIGINT, old_interrupt), SIG_DFL);
}

}  // namespace
}  // namespace whorl
