// Progress: the library reports the progress of long computations to its caller. It prints nothing itself.
#pragma once

#include <string_view>

#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

/// Receives progress. A stage may have stages within it: a second `begin` before `end`. `update` and `end` then mean the
/// innermost stage. An exception that a sink throws from begin or update ends the work.
///
/// Threads  all calls come from the thread that called the library. Threads that compute at once need contexts with
///          sinks of their own (Context::with), or their stages mix
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// A stage of `total` equal steps begins; `total` = 0: unknown number of steps.
  virtual void begin(std::string_view stage, Index total) = 0;
  /// `done` steps of the current stage are finished; `detail` may say more, such as a residual.
  virtual void update(Index done, std::string_view detail) = 0;
  /// The current stage is finished, or an exception ended it.
  virtual void end() = 0;
};

}  // namespace whorl
