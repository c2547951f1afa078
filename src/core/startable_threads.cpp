#include "core/startable_threads.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <latch>
#include <vector>

#include "core/stack_size.hpp"

namespace whorl::detail {

namespace {

// Threads with the stacks of OpenMP's, that wait until all are there: so many at once.
class Trial {
 public:
  explicit Trial(int threads) {
    pthread_attr_t kind;
    if (pthread_attr_init(&kind) != 0) return;
    if (const auto bytes = asked_stack_bytes()) pthread_attr_setstacksize(&kind, static_cast<std::size_t>(*bytes));
    made_.reserve(static_cast<std::size_t>(threads));
    for (pthread_t thread{}; std::ssize(made_) < threads; made_.push_back(thread)) {
      if (pthread_create(&thread, &kind, &wait, this) != 0) break;
    }
    pthread_attr_destroy(&kind);
  }
  ~Trial() {
    all_.count_down();
    for (const pthread_t thread : made_) pthread_join(thread, nullptr);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  int threads() const { return static_cast<int>(made_.size()); }

 private:
  static void* wait(void* trial) {
    static_cast<Trial*>(trial)->all_.wait();
    return nullptr;
  }

  std::latch all_{1};
  std::vector<pthread_t> made_;
};

}  // namespace

int processors() { return omp_get_num_procs(); }

int startable_threads(int wanted) {
  thread_local int tried = 1;
  thread_local int able = 1;
  if (wanted <= tried) return std::min(wanted, able);
  if (omp_in_parallel() != 0) return wanted;  // a loop within a loop has one thread
  tried = wanted;
  able = 1 + Trial(wanted - 1).threads();
  // The runtime keeps the threads of a team: those that were possible now stay so.
#pragma omp parallel num_threads(able)
  {}
  return able;
}

}  // namespace whorl::detail
