// Runs a program to its end and catches what it says.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace whorl::test {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

/// A signal that is sent once the program has said a text, on standard output or standard error.
struct TimedSignal {
  std::string after;
  int number;
};

struct ProcessOptions {
  std::filesystem::path folder{};           ///< where it runs; empty: here
  std::filesystem::path standard_output{};  ///< a file in the place of the pipe, such as /dev/full
  bool closed_output = false;               ///< standard output is a pipe that nobody reads
  std::optional<std::size_t> file_bytes{};  ///< the largest file that it may write: a full disk
  std::filesystem::path group{};            ///< a group of processes (cgroup) that it joins
  std::vector<TimedSignal> signals{};       ///< sent in turn
};

/// Runs command[0], found by its path, with the rest as arguments. Standard input is empty. Throws std::runtime_error
/// where it can not be started.
ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options = {});

}  // namespace whorl::test
