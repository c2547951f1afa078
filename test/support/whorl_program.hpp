// Runs of the program and what its failures look like. For tests that define WHORL_PROGRAM.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/run_process.hpp"

namespace whorl::test {

inline ProcessResult run_whorl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WHORL_PROGRAM);
  return run_process(arguments);
}

/// The run must do its work; returns what it printed.
inline std::string expect_success(const std::vector<std::string>& arguments) {
  const ProcessResult result = run_whorl(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

/// The run must fail with one line that holds `part`.
inline void expect_failure(const std::vector<std::string>& arguments, int exit_code, const std::string& part) {
  const ProcessResult result = run_whorl(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << part;
  // Progress lines may come before.
  const std::size_t start = result.err.rfind("whorl: error: ");
  ASSERT_NE(start, std::string::npos) << result.err;
  const std::string line = result.err.substr(start);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  EXPECT_NE(line.find(part), std::string::npos) << line;
}

}  // namespace whorl::test
