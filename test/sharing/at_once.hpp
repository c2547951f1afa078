// Work of several threads that begin together.
#pragma once

#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace whorl::test {

/// Calls work(thread) in `count` threads that wait for each other before it, and passes the first exception on.
template <class Work>
void at_once(int count, const Work& work) {
  std::latch start(count);
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace whorl::test
