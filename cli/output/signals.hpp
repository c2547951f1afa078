// Signals: Ctrl-C asks the work to stop; a full disk and a closed pipe are errors, not deaths.
#pragma once

#include "whorl/core/context.hpp"

namespace whorl::cli {

/// From now on a write past the limit of a file's size, or to a pipe that nobody reads, fails with an error code.
void turn_write_signals_into_errors();

/// While it lives, the first SIGINT (Ctrl-C), SIGTERM, SIGHUP (a closed terminal) or SIGXCPU (a limit of time) asks the
/// context's work to stop, which unwinds and removes temporary files. Work that does not end within `grace_seconds`, such
/// as a call into another library, is ended: temporary files are removed, and the exit code is 1. A second signal removes
/// them and ends the process at once with exit code 128 + signal. A signal that the caller of the program had set to be ignored (nohup, a
/// background job) stays ignored. One object at a time.
class CancelOnSignal {
 public:
  /// `speaks`: it says so on standard error when it ends the work.
  explicit CancelOnSignal(const Context& ctx, unsigned grace_seconds = 1, bool speaks = true);
  ~CancelOnSignal();
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
};

/// While it lives, and a CancelOnSignal around it, no second signal ends the process: for the moment in which files get
/// their names, all of them or none.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
};

}  // namespace whorl::cli
