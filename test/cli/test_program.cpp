// The program itself: what it prints where, and its exit codes.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/version.hpp"

namespace whorl {
namespace {

using test::ProcessOptions;
using test::ProcessResult;
using test::TemporaryFolder;

ProcessResult whorl_with(std::vector<std::string> arguments, const ProcessOptions& options = {}) {
  arguments.insert(arguments.begin(), WHORL_PROGRAM);
  return test::run_process(arguments, options);
}

// One line that begins as every error of the program does.
void expect_one_error_line(const ProcessResult& result) {
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("whorl: error: ")) << result.err;
  EXPECT_TRUE(result.err.ends_with("\n")) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(Program, HelpNamesTheCommandsAndTeaches) {
  for (const std::string flag : {"--help", "-h"}) {
    const auto result = whorl_with({flag});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("info"), std::string::npos);
    EXPECT_NE(result.out.find("convert"), std::string::npos);
    EXPECT_NE(result.out.find("Exit codes"), std::string::npos);
  }
  const auto info = whorl_with({"info", "--help"});
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_NE(info.out.find("Examples:\n  whorl info scan.h5"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("--threads"), std::string::npos);
}

TEST(Program, VersionSaysHowItWasBuilt) {
  const auto result = whorl_with({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("whorl " + version() + "\ncompiler: ")) << result.out;
  EXPECT_NE(result.out.find("backends: cpu"), std::string::npos);
}

TEST(Program, MistakesInTheCommandLineAreExitCode2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{}, "see whorl --help"},
      {{"frobnicate"}, "'frobnicate' is neither a command"},
      {{"--frobnicate"}, "'--frobnicate' is neither a command"},
      {{"info"}, "see whorl info --help"},
      {{"info", "scan.h5", "--frobnicate"}, "whorl info has no option --frobnicate"},
      {{"info", "scan.h5", "--threads", "-1"}, "--threads"},
      {{"info", "scan.h5", "--threads", "many"}, "--threads"},
      {{"info", "scan.h5", "--device", "tpu"}, "'tpu' is not known"},
      {{"info", "scan.h5", "--max-memory", "-1"}, "'-1' is no number of bytes"},
      {{"info", "scan.h5", "--max-memory", "1.5XB"}, "'1.5XB' is no number of bytes"},
      {{"info", "scan.h5", "--max-memory", "16EB"}, "'16EB' is more than a machine can have"},
      {{"info", "scan.h5", "--max-memory", "99999999999999999999"}, "is more than a machine can have"},
      {{"info", "scan.h5", "--quiet", "--verbose"}, "--quiet"},
      {{"info", "scan.h5", "--trajectory-unit", "furlong"}, "furlong"},
      {{"convert", "a.mat"}, "--output"},
      {{"convert", "a.mat", "-o", "a.jpg", "--matrix", "8", "8"}, "scans are written as .npz, .cfl, .h5"},
      {{"convert", "a.mat", "-o", "a.h5", "--matrix", "8", "0"}, "--matrix"}};
  for (const auto& [arguments, expected] : mistakes) {
    const auto result = whorl_with(arguments);
    EXPECT_EQ(result.exit_code, 2) << expected;
    expect_one_error_line(result);
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("; see whorl "), std::string::npos) << result.err;
  }
}

TEST(Program, FilesThatCannotBeReadAreExitCode1) {
  const TemporaryFolder folder;
  test::write_file(folder / "empty.h5", "");
  test::write_file(folder / "text.h5", "this is no scan\n");
  std::filesystem::create_directory(folder / "folder.h5");
  for (const std::string name : {"missing.h5", "empty.h5", "text.h5", "folder.h5"}) {
    const auto result = whorl_with({"info", folder / name});
    EXPECT_EQ(result.exit_code, 1) << name;
    expect_one_error_line(result);
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
  }
}

TEST(Program, AListOfAxesEndsWithItsWord) {
  const TemporaryFolder folder;
  // The input after the list is missing as a file, which is found only if it was taken for an input.
  const auto result = whorl_with(
      {"convert", "--matrix", "8", "8", "-o", folder / "a.h5", "--data-axes", "readout,shot", folder / "missing.mat"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("missing.mat"), std::string::npos) << result.err;
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Program, ADeviceThatIsNotThereIsExitCode1) {
  const auto result = whorl_with({"info", "scan.h5", "--device", "cuda:99"});
  EXPECT_EQ(result.exit_code, 1);
  expect_one_error_line(result);
}

TEST(Program, OutputThatDoesNotArriveIsAnError) {
  const auto result = whorl_with({"--help"}, {.standard_output = "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  expect_one_error_line(result);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

// whorl filter --list | head
TEST(Program, AReaderThatHasSeenEnoughIsNoError) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"recon", "--help", "all"}, {"filter", "--list"}}) {
    const auto result = whorl_with(words, {.closed_output = true});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
  }
}

}  // namespace
}  // namespace whorl
