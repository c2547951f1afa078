#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "support/run_process.hpp"

namespace whorl {
namespace {

// What GNU's OpenMP says that it took from the environment, once for each start of the program.
std::vector<std::string> spin_counts(const std::string& said) {
  std::vector<std::string> counts;
  const std::regex line("GOMP_SPINCOUNT = '([^']*)'");
  for (std::sregex_iterator at(said.begin(), said.end(), line), end; at != end; ++at) counts.push_back((*at)[1]);
  return counts;
}

// Runs a program with nothing set that says how threads wait but `settings`.
test::ProcessResult run_with(std::vector<std::string> settings, const std::vector<std::string>& command) {
  std::vector<std::string> words{"/usr/bin/env",           "-u", "OMP_WAIT_POLICY", "-u", "GOMP_SPINCOUNT",
                                 "OMP_DISPLAY_ENV=verbose"};
  words.insert(words.end(), settings.begin(), settings.end());
  words.insert(words.end(), command.begin(), command.end());
  return test::run_process(words);
}

TEST(Waiting, IsShortByItself) {
  const auto result = run_with({}, {WHORL_WAIT_PROBE, "one", "two words"});
  const std::vector<std::string> counts = spin_counts(result.err);
  if (counts.empty()) GTEST_SKIP() << "this OpenMP is not GNU's";
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts.back(), "300");
  // Arguments are kept, and programs that it starts see what the user set.
  EXPECT_EQ(result.out, std::string(WHORL_WAIT_PROBE) +
                            "\none\ntwo words\nOMP_WAIT_POLICY=\nGOMP_SPINCOUNT=\nWHORL_SPINS_SET_BY=\n");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Waiting, IsAsTheUserSays) {
  for (const auto& [setting, out] :
       {std::pair<std::string, std::string>{"OMP_WAIT_POLICY=active", "OMP_WAIT_POLICY=active\nGOMP_SPINCOUNT=\n"},
        {"GOMP_SPINCOUNT=77", "OMP_WAIT_POLICY=\nGOMP_SPINCOUNT=77\n"}}) {
    const auto result = run_with({setting}, {WHORL_WAIT_PROBE});
    const std::vector<std::string> counts = spin_counts(result.err);
    if (counts.empty()) GTEST_SKIP() << "this OpenMP is not GNU's";
    EXPECT_EQ(counts.size(), 1U) << setting;
    EXPECT_NE(counts.front(), "300") << setting;
    EXPECT_NE(result.out.find(out), std::string::npos) << result.out;
  }
}

// The variable of a process that was started by another run of the program.
TEST(Waiting, IsNotMisledByAnotherProcess) {
  const auto result = run_with({"WHORL_SPINS_SET_BY=1"}, {WHORL_WAIT_PROBE});
  const std::vector<std::string> counts = spin_counts(result.err);
  if (counts.empty()) GTEST_SKIP() << "this OpenMP is not GNU's";
  EXPECT_EQ(counts.back(), "300");
}

TEST(Waiting, TheLoaderMayStartTheProgram) {
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  if (!std::filesystem::exists(loader)) GTEST_SKIP() << loader << " is not there";
  const auto result = run_with({}, {loader, WHORL_WAIT_PROBE, "one"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("one\n"), std::string::npos) << result.out;
}

TEST(Waiting, IsShortInCommandsThatCompute) {
  const auto result = run_with({}, {WHORL_PROGRAM, "traj", "radial", "--help"});
  const std::vector<std::string> counts = spin_counts(result.err);
  if (counts.empty()) GTEST_SKIP() << "this OpenMP is not GNU's";
  EXPECT_EQ(counts.size(), 1U);  // help does not wait
  const auto work = run_with({}, {WHORL_PROGRAM, "info", "/missing/a.h5"});
  EXPECT_EQ(spin_counts(work.err).back(), "300");
}

}  // namespace
}  // namespace whorl
