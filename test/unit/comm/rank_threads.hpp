// Runs one function in the threads of a group.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "whorl/comm/threads.hpp"

namespace whorl::test {

/// What each rank's work threw, empty where it threw nothing.
inline std::vector<std::string> run_ranks(int size, const std::function<void(Communicator&)>& work) {
  const auto ranks = thread_ranks(size);
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(*ranks[static_cast<std::size_t>(rank)]);
      } catch (const std::exception& error) {
        failures[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace whorl::test
