// Progress: the library reports the progress of long computations to its caller. It prints nothing itself.
#pragma once

#include <atomic>
#include <string_view>

#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

/// Receives progress. A stage may have stages within it: a second `begin` before `end`. `update` and `end` then mean the
/// innermost stage. An exception that a sink throws from begin or update ends the work.
///
/// Threads  any number of threads and contexts may share a sink, which needs no lock: it hears of one thread at a time. While
///          a thread has a stage open, the sink is called in that thread alone, and stages that others begin are silent
class ProgressSink {
 public:
  ProgressSink() = default;
  ProgressSink(const ProgressSink&) = delete;
  ProgressSink& operator=(const ProgressSink&) = delete;
  virtual ~ProgressSink() = default;
  /// A stage of `total` equal steps begins; `total` = 0: unknown number of steps.
  virtual void begin(std::string_view stage, Index total) = 0;
  /// `done` steps of the current stage are finished; `detail` may say more, such as a residual.
  virtual void update(Index done, std::string_view detail) = 0;
  /// The current stage is finished, or an exception ended it.
  virtual void end() = 0;

 private:
  friend class ProgressStage;
  bool take_turn();
  void end_turn();

  std::atomic<const void*> speaker_{nullptr};  // the thread that has stages open
  int open_ = 0;                               // its stages
};

}  // namespace whorl
