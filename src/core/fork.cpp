// Threads, streams, forks: Plans and filters do not change when they are applied: scratch comes from the pool of the
// call's context, and what is made on first use has a lock (cuFFT's plans, the taps of resizing). State for a GPU that
// only one thread at a time may use is in the context's queue: the stream (its own or the caller's) and the mailbox.
// Plans wait for the GPU when they are made, so that other contexts may use them at once. kernels/fork.hpp watches
// forks: in the child of a process with several threads Context::threads() is 1, and queues of a GPU throw.
#include "kernels/fork.hpp"

#include <dirent.h>
#include <pthread.h>

#include <atomic>

#include "whorl/core/error.hpp"

namespace whorl::kernels {

namespace {

std::atomic<int> forks{0};
std::atomic<bool> alone{false};

// State of the thread that forks, which is the only one that the child has.
thread_local bool had_several_threads = false;

// Counts the threads of others too: whoever has started an OpenMP team has it in the same runtime.
bool has_several_threads() {
  constexpr int one_and_two_dots = 3;
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return true;  // it does not say
  int entries = 0;
  while (entries <= one_and_two_dots && readdir(threads) != nullptr) ++entries;
  closedir(threads);
  return entries > one_and_two_dots;
}

void before_fork() { had_several_threads = has_several_threads(); }

void in_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  if (had_several_threads) alone.store(true, std::memory_order_relaxed);
}

}  // namespace

void watch_forks() {
  static const int status = pthread_atfork(before_fork, nullptr, in_child);
  if (status != 0) throw Error("context: no memory to watch forks of this process");
}

bool may_start_threads() { return !alone.load(std::memory_order_relaxed); }

int forks_before() { return forks.load(std::memory_order_relaxed); }

}  // namespace whorl::kernels
