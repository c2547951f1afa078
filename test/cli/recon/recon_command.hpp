// whorl recon on a small scan, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

class ReconCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  }

  test::ProcessResult recon(std::vector<std::string> arguments, const test::ProcessOptions& options = {}) const {
    std::vector<std::string> command{WHORL_PROGRAM, "recon", folder_ / "scan.h5"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run_process(command, options);
  }

  static void expect_one_line(const test::ProcessResult& result, int exit_code, const std::string& part) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  test::TemporaryFolder folder_;
};

}  // namespace whorl
